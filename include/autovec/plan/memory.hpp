// Places the buffers of a plan in one workspace: those that never live together share bytes.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

#include "autovec/base/memory.hpp"
#include "autovec/plan/plan.hpp"

namespace autovec::inline v1 {
namespace plan {

/// Calls `f(block)` for each block inside the step, in the order in which they run.
template <class S, class F>
void for_each_child(S& step, F&& f) {
  std::visit(
      [&](auto& s) {
        using T = std::remove_cvref_t<decltype(s)>;
        if constexpr (std::is_same_v<T, Branch>) {
          for (auto& side : s.sides) f(side);
        } else if constexpr (std::is_same_v<T, Loop>) {
          f(s.condition);
          f(s.freeze);
          f(s.body);
        } else if constexpr (std::is_same_v<T, Scan>) {
          f(s.body);
        }
      },
      step.what);
}

/// Calls `f(buffer)` for each buffer that the step itself names, not those of its blocks.
template <class F>
void for_each_buffer(const Step& step, F&& f) {
  const auto carries = [&](const std::vector<Carry>& list) {
    for (const Carry& c : list) f(c.home), f(c.spare);
  };
  std::visit(
      [&](const auto& s) {
        using T = std::remove_cvref_t<decltype(s)>;
        if constexpr (std::is_same_v<T, Launch>) {
          for (const BufferId b : s.buffers) f(b);
        } else if constexpr (std::is_same_v<T, Contract>) {
          f(s.a.place.buffer), f(s.b.place.buffer), f(s.c.place.buffer);
        } else if constexpr (std::is_same_v<T, Copy>) {
          f(s.from.place.buffer), f(s.to.buffer);
        } else if constexpr (std::is_same_v<T, Call>) {
          for (const Port& p : s.operands) f(p.place.buffer);
          for (const Port& p : s.results) f(p.place.buffer);
        } else if constexpr (std::is_same_v<T, Scatter>) {
          for (const Port* p : {&s.target, &s.starts, &s.updates, &s.mask}) f(p->place.buffer);
        } else if constexpr (std::is_same_v<T, Branch>) {
          f(s.index.place.buffer), f(s.mask);
        } else if constexpr (std::is_same_v<T, Loop>) {
          f(s.holds), f(s.alive), f(s.died);
          carries(s.carries);
        } else {
          carries(s.carries);
          for (const Slice& slice : s.slices) f(slice.whole.buffer);
        }
      },
      step.what);
}

/// Assigns offsets. A buffer lives from the first to the last step that names it, in the innermost
/// block where one step alone does not hold all of its uses; a block's own buffers are one piece
/// of memory that lives during the step around it.
class MemoryPlanner {
 public:
  MemoryPlanner(Plan& plan, bool share) : plan_(plan), share_(share) {}

  void run() {
    if (share_) {
      plan_.workspace_bytes = place_block(plan_.root).bytes;
      return;
    }
    for (Buffer& b : plan_.buffers) {
      if (b.role != Role::workspace) continue;
      b.offset = plan_.workspace_bytes;
      plan_.workspace_bytes += aligned(b.bytes());
    }
  }

 private:
  /// What one block needs: its bytes, and the buffers placed in them, relative to their start.
  struct Arena {
    std::int64_t bytes = 0;
    std::vector<BufferId> buffers;
  };
  struct Item {
    std::int64_t bytes = 0;
    std::size_t first = 0, last = 0;  // steps
    BufferId buffer = -1;             // or the arenas of step `first`
    std::int64_t offset = 0;
  };

  static std::int64_t aligned(std::int64_t bytes) {
    const auto a = static_cast<std::int64_t>(block_alignment);
    return (bytes + a - 1) / a * a;
  }

  /// All workspace buffers named in the step, its blocks included; one entry for each block that
  /// names it, and one for the step.
  void collect(const Step& step, std::vector<BufferId>& own,
               std::vector<std::vector<BufferId>>& inner) {
    const auto add = [&](std::vector<BufferId>& to, BufferId b) {
      if (b >= 0 && plan_.buffers[static_cast<std::size_t>(b)].role == Role::workspace)
        to.push_back(b);
    };
    for_each_buffer(step, [&](BufferId b) { add(own, b); });
    for_each_child(step, [&](const Block& block) {
      std::vector<BufferId>& list = inner.emplace_back();
      for (const Step& s : block.steps) {
        std::vector<BufferId> direct;
        std::vector<std::vector<BufferId>> deeper;
        collect(s, direct, deeper);
        list.insert(list.end(), direct.begin(), direct.end());
        for (const auto& d : deeper) list.insert(list.end(), d.begin(), d.end());
      }
      std::sort(list.begin(), list.end());
      list.erase(std::unique(list.begin(), list.end()), list.end());
    });
  }

  Arena place_block(const Block& block, const std::vector<BufferId>* candidates = nullptr) {
    // Uses of each buffer: the first and last step, and whether a step uses it by more than one
    // of its blocks or itself; otherwise it is local to that one block.
    std::vector<Item> spans(plan_.buffers.size());
    std::vector<char> seen(plan_.buffers.size(), 0), direct(plan_.buffers.size(), 0);
    std::vector<std::vector<std::vector<BufferId>>> inner(block.steps.size());
    for (std::size_t i = 0; i < block.steps.size(); ++i) {
      std::vector<BufferId> own;
      collect(block.steps[i], own, inner[i]);
      std::vector<BufferId> in_blocks;
      for (const auto& list : inner[i]) in_blocks.insert(in_blocks.end(), list.begin(), list.end());
      std::sort(in_blocks.begin(), in_blocks.end());
      for (std::size_t k = 1; k < in_blocks.size(); ++k) {
        if (in_blocks[k] == in_blocks[k - 1]) own.push_back(in_blocks[k]);
      }
      const auto touch = [&](BufferId b) {
        const auto at = static_cast<std::size_t>(b);
        if (seen[at] == 0) spans[at] = Item{aligned(plan_.buffers[at].bytes()), i, i, b, 0};
        if (seen[at] != 0 && spans[at].last != i) direct[at] = 1;
        spans[at].last = i;
        seen[at] = 1;
      };
      for (const BufferId b : in_blocks) touch(b);
      for (const BufferId b : own) {
        touch(b);
        direct[static_cast<std::size_t>(b)] = 1;
      }
    }
    std::vector<Item> items;
    const auto is_mine = [&](BufferId b) {
      return candidates == nullptr || std::binary_search(candidates->begin(), candidates->end(), b);
    };
    for (std::size_t b = 0; b < spans.size(); ++b) {
      if (direct[b] != 0 && is_mine(static_cast<BufferId>(b))) items.push_back(spans[b]);
    }
    // The blocks of one step run one after the other: their arenas overlap.
    std::vector<std::vector<Arena>> arenas(block.steps.size());
    for (std::size_t i = 0; i < block.steps.size(); ++i) {
      std::size_t k = 0;
      std::int64_t most = 0;
      for_each_child(block.steps[i], [&](const Block& child) {
        std::vector<BufferId> local;
        for (const BufferId b : inner[i][k++]) {
          if (direct[static_cast<std::size_t>(b)] == 0 && is_mine(b)) local.push_back(b);
        }
        arenas[i].push_back(place_block(child, &local));
        most = std::max(most, arenas[i].back().bytes);
      });
      if (most > 0) items.push_back(Item{aligned(most), i, i, -1, 0});
    }
    Arena out;
    out.bytes = fit(items);
    for (const Item& item : items) {
      if (item.buffer >= 0) {
        plan_.buffers[static_cast<std::size_t>(item.buffer)].offset = item.offset;
        out.buffers.push_back(item.buffer);
        continue;
      }
      for (const Arena& arena : arenas[item.first]) {
        for (const BufferId b : arena.buffers) {
          plan_.buffers[static_cast<std::size_t>(b)].offset += item.offset;
          out.buffers.push_back(b);
        }
      }
    }
    return out;
  }

  /// Lowest offsets at which items that live together do not overlap, big ones first.
  static std::int64_t fit(std::vector<Item>& items) {
    std::stable_sort(items.begin(), items.end(),
                     [](const Item& a, const Item& b) { return a.bytes > b.bytes; });
    std::int64_t end = 0;
    std::vector<const Item*> together;
    for (std::size_t i = 0; i < items.size(); ++i) {
      Item& item = items[i];
      together.clear();
      for (std::size_t k = 0; k < i; ++k) {
        if (items[k].first <= item.last && item.first <= items[k].last)
          together.push_back(&items[k]);
      }
      std::sort(together.begin(), together.end(),
                [](const Item* a, const Item* b) { return a->offset < b->offset; });
      for (const Item* other : together) {
        if (item.offset + item.bytes <= other->offset) break;
        item.offset = std::max(item.offset, other->offset + other->bytes);
      }
      end = std::max(end, item.offset + item.bytes);
    }
    return end;
  }

  Plan& plan_;
  bool share_;
};

/// Gives every workspace buffer of `plan` its offset; `share` false: a place of its own each.
inline void assign_memory(Plan& plan, bool share) { MemoryPlanner(plan, share).run(); }

}  // namespace plan
}  // namespace autovec::inline v1
