// A tournament over the heads of sorted sequences: which of them comes next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "tracedeck/spill/order_key.hpp"

namespace tracedeck {

// Plays `size` sequences, numbered from 0, against each other by the keys of their heads; ties are
// won by the lower rank, which is a sequence's number unless asked otherwise. An inner node
// remembers who lost there, so that a new head plays one game a level.
class LoserTree {
 public:
  // `size` is at least 1. All sequences are ended at first.
  explicit LoserTree(std::size_t size) : contenders_(size), nodes_(size) { build(); }

  // After `set` the winner is not known until `build`.
  void set(std::size_t sequence, const OrderKey& key) { set(sequence, key, sequence); }
  void set(std::size_t sequence, const OrderKey& key, std::size_t rank) {
    contenders_[sequence] = {.key = key, .rank = rank, .ended = false};
  }
  void build() { nodes_[0] = play(1); }

  [[nodiscard]] bool ended() const { return contenders_[nodes_[0].sequence].ended; }
  [[nodiscard]] std::size_t winner() const { return nodes_[0].sequence; }
  [[nodiscard]] const OrderKey& winner_key() const { return contenders_[winner()].key; }

  // The winner's sequence goes on with `key`, or has ended.
  void replace_winner(const OrderKey& key) {
    contenders_[winner()].key = key;
    replay(key.coarse);
  }
  void end_winner() {
    contenders_[winner()] = {};
    replay(OrderKey::kHighest);
  }

  // Whether the winner would win again with `key`, against the `runner_up`.
  [[nodiscard]] bool wins_again(const OrderKey& key, std::size_t runner_up) const {
    const Contender& other = contenders_[runner_up];
    if (runner_up == winner() || other.ended) return true;
    if (key.coarse != other.key.coarse) return key.coarse < other.key.coarse;
    return contenders_[winner()].rank < other.rank ? key <= other.key : key < other.key;
  }
  // Who would win without the winner; the winner itself when it is alone.
  [[nodiscard]] std::size_t runner_up() const {
    std::size_t node = (winner() + nodes_.size()) / 2;
    if (node == 0) return winner();
    Node best = nodes_[node];
    while ((node /= 2) != 0) {
      if (before(nodes_[node], best)) best = nodes_[node];
    }
    return best.sequence;
  }

 private:
  struct Contender {
    OrderKey key{OrderKey::kHighest, {}};
    std::size_t rank = 0;
    bool ended = true;
  };
  struct Node {
    std::uint64_t coarse = OrderKey::kHighest;
    std::size_t sequence = 0;
  };

  [[nodiscard]] bool before(const Node& a, const Node& b) const {
    if (a.coarse == b.coarse) [[unlikely]]
      return before_on_tie(a.sequence, b.sequence);
    return a.coarse < b.coarse;
  }
  [[nodiscard]] bool before_on_tie(std::size_t a, std::size_t b) const {
    const Contender& x = contenders_[a];
    const Contender& y = contenders_[b];
    if (x.ended || y.ended) return !x.ended;
    const auto order = x.key <=> y.key;
    return order == 0 ? x.rank < y.rank : order < 0;
  }

  // Plays all games below `node` and returns the winner. Leaf i is node `size` + i.
  Node play(std::size_t node) {
    if (node >= nodes_.size()) {
      const std::size_t sequence = node - nodes_.size();
      return {contenders_[sequence].key.coarse, sequence};
    }
    Node winner = play(2 * node);
    nodes_[node] = play(2 * node + 1);
    if (before(nodes_[node], winner)) std::swap(winner, nodes_[node]);
    return winner;
  }

  void replay(std::uint64_t coarse) {
    Node candidate{coarse, winner()};
    for (std::size_t node = (candidate.sequence + nodes_.size()) / 2; node != 0; node /= 2) {
      Node& other = nodes_[node];
      // Who wins is as good as random: selections instead of a branch.
      const bool lost = before(other, candidate);
      const Node winner = lost ? other : candidate;
      other = lost ? candidate : other;
      candidate = winner;
    }
    nodes_[0] = candidate;
  }

  std::vector<Contender> contenders_;
  std::vector<Node> nodes_;  // [0]: the winner; the others: who lost there
};

}  // namespace tracedeck
