"""Heph: an event is a span."""

from .table import Base, text


def applies(event):
    return "substream" in event.get("stream", {})


class Table(Base):
    def event(self, event):
        stream = event["stream"]
        self.sheet.whole(
            "span", text(event.get("name")), f"stream {stream['id']}/{stream['substream']}", event.get("duration", 0)
        )
