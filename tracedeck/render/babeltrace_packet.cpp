#include "tracedeck/render/babeltrace_packet.hpp"

#include <utility>

namespace tracedeck::render {

BabeltracePackets::BabeltracePackets(FieldClassPtr context, BabeltracePalette palette,
                                     BabeltraceNames names)
    : context_(std::move(context)), notes_(palette), names_(names.context) {
  if (names.scope) {
    TextBuffer text(nullptr, 512);
    palette.name(text, "stream.packet.context");
    scope_ = text.view();
  }
  const FieldClass* const root = context_.get();
  notes_.study({&root, 1});
  shown_ = root != nullptr && notes_.shows(root);
}

void BabeltracePackets::append(TextBuffer& out, const Packet& packet, BabeltraceValues& values) {
  out.append(scope_);
  values.style().set_notes(notes_);
  values.style().show_names(names_);
  values.append_members(out, packet.context, context_.get());
}

}  // namespace tracedeck::render
