// The contraction op: an einsum of two operands, in which every matrix product ends.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cctype>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "autovec/ops/contract.hpp"
#include "autovec/ops/reduce-inl.hpp"

namespace autovec::inline v1 {

namespace ops {

/// See ContractParams. Floats are summed in their own precision in an order that depends on the
/// extents alone; integers wrap.
struct Contract {
  static constexpr std::string_view name = "contract";
  static constexpr Kind kind = Kind::contract;
  static constexpr int arity = 2;
  static constexpr bool sums = true;
  using Params = ContractParams;

  static std::vector<Type> infer(std::span<const Type> x, const autovec::Params& params,
                                 Where where) {
    autovec::detail::check_arity(name, x.size(), 2, where);
    const auto& p = params.as<ContractParams>();
    const std::string* labels[2] = {&p.a, &p.b};
    Extents extents(128, -1);
    bool fits = x[0].dtype == x[1].dtype;
    for (int i = 0; i < 2; ++i) {
      fits = fits && labels[i]->size() == x[static_cast<std::size_t>(i)].rank();
      for (std::size_t k = 0; fits && k < labels[i]->size(); ++k) {
        const auto label = static_cast<unsigned char>((*labels[i])[k]);
        fits = label < 128 && std::isalpha(label) && labels[i]->find((*labels[i])[k]) == k;
        if (!fits) break;
        std::int64_t& extent = extents[label];
        const std::int64_t here = x[static_cast<std::size_t>(i)].shape[k];
        fits = extent < 0 || extent == here;
        extent = here;
      }
    }
    Type out{x[0].dtype, x[0].weak && x[1].weak, {}};
    for (std::size_t k = 0; fits && k < p.out.size(); ++k) {
      const auto label = static_cast<unsigned char>(p.out[k]);
      fits = label < 128 && extents[label] >= 0 && p.out.find(p.out[k]) == k;
      if (fits) out.shape.push_back(extents[label]);
    }
    if (!fits) {
      fail<ShapeError>(
          name, p.a + "," + p.b + "->" + p.out + " does not fit " + autovec::detail::types_text(x),
          where);
    }
    if (!takes(x[0].dtype)) {
      fail<TypeError>(name, "expected integers, f32 or f64, got " + autovec::detail::types_text(x),
                      where);
    }
    return {out};
  }

  static bool takes(DType t) { return is_int(t) || t == DType::f32 || t == DType::f64; }

  /// The lane axis is one more label, in front; with one shared operand it makes more rows of the
  /// same matrix product, and nothing is tiled.
  static void batch(BatchCall& call) {
    ContractParams p = call.params.as<ContractParams>();
    const char lane = free_label(p.a + p.b);
    if (call.operands[0].mapped) p.a.insert(p.a.begin(), lane);
    if (call.operands[1].mapped) p.b.insert(p.b.begin(), lane);
    p.out.insert(p.out.begin(), lane);
    const Tensor operands[2] = {call.operands[0].value, call.operands[1].value};
    call.give(emit_one(call.op, autovec::Params::of(p), operands, call.where));
  }

  static std::vector<Sample> samples() {
    using namespace autovec::detail;
    return for_dtypes(
        takes,
        {form(Params{"ij", "jk", "ik"}, {{2, 3}, {3, 4}}), form(Params{"i", "i", ""}, {{5}, {5}}),
         form(Params{"i", "j", "ij"}, {{3}, {2}}),
         form(Params{"bij", "bjk", "bik"}, {{2, 2, 3}, {2, 3, 2}}),
         form(Params{"ij", "j", "i"}, {{3, 4}, {4}}),
         form(Params{"ij", "ji", ""}, {{3, 2}, {2, 3}}),
         form(Params{"ij", "k", "ki"}, {{2, 3}, {2}}), form(Params{"i", "i", "i"}, {{4}, {4}}),
         form(Params{"", "", ""}, {{}, {}}), form(Params{"ij", "jk", "ik"}, {{2, 0}, {0, 3}}),
         form(Params{"ij", "jk", "ik"}, {{0, 2}, {2, 1}}),
         form(Params{"ij", "jk", "ki"}, {{3, 70}, {70, 5}})},
        Draw::tame);
  }

  static char free_label(const std::string& used) {
    for (const char* set : {"abcdefghijklmnopqrstuvwxyz", "ABCDEFGHIJKLMNOPQRSTUVWXYZ"}) {
      for (const char* c = set; *c != '\0'; ++c) {
        if (used.find(*c) == std::string::npos) return *c;
      }
    }
    fail<Unsupported>(name, "more than 52 axes", Where::unknown());
  }
};

using ContractOps = List<Contract>;

}  // namespace ops

namespace detail {

/// A term of an einsum: a tensor and one label an axis.
struct EinsumTerm {
  Tensor value;
  std::string labels;
};

/// Keeps the diagonal of labels that stand twice.
inline void take_diagonals(EinsumTerm& term, Where where) {
  for (std::size_t i = 0; i < term.labels.size(); ++i) {
    std::size_t j = term.labels.find(term.labels[i], i + 1);
    while (j != std::string::npos) {
      term.value = emit_one(row_of<ops::Diagonal>,
                            Params::of(ops::Diagonal::Params{static_cast<std::int64_t>(i),
                                                             static_cast<std::int64_t>(j)}),
                            std::span(&term.value, 1), where);
      term.labels.erase(j, 1);
      j = term.labels.find(term.labels[i], i + 1);
    }
  }
}

/// Sums over the labels of `term` that are not in `kept`.
inline void sum_labels(EinsumTerm& term, const std::string& kept, Where where) {
  Extents axes;
  std::string labels;
  for (std::size_t i = 0; i < term.labels.size(); ++i) {
    if (kept.find(term.labels[i]) == std::string::npos) {
      axes.push_back(static_cast<std::int64_t>(i));
    } else {
      labels += term.labels[i];
    }
  }
  if (axes.empty()) return;
  term.value = reduce_axes<ops::Sum>(term.value, axes, {}, where);
  term.labels = labels;
}

/// The order of axes in which `labels` becomes `out`.
inline Tensor order_labels(const EinsumTerm& term, const std::string& out, Where where) {
  Extents axes;
  for (const char c : out) axes.push_back(static_cast<std::int64_t>(term.labels.find(c)));
  return permute(Operand(term.value, where), axes);
}

/// Product of two terms; labels that are neither in `later` nor needed are summed.
inline EinsumTerm contract_terms(const EinsumTerm& a, const EinsumTerm& b, const std::string& later,
                                 Where where) {
  std::string out;
  for (const std::string* labels : {&a.labels, &b.labels}) {
    for (const char c : *labels) {
      if (later.find(c) != std::string::npos && out.find(c) == std::string::npos) out += c;
    }
  }
  const Tensor operands[2] = {a.value, b.value};
  return {emit_one(row_of<ops::Contract>, Params::of(ContractParams{a.labels, b.labels, out}),
                   operands, where),
          out};
}

/// Brings operands to one dtype that contractions take; gives the dtype of the result.
inline DType promote_terms(std::vector<EinsumTerm>& terms, Where where) {
  Element element = element_of(terms[0].value.type());
  for (const EinsumTerm& t : terms) element = promote(element, element_of(t.value.type()));
  if (is_bool(element.dtype)) element.dtype = DType::i32;
  element.weak = false;
  if (!accepts(Accept::numbers, element.dtype)) {
    fail<TypeError>("einsum", "expected numbers", where);
  }
  const DType result = element.dtype;
  if (!ops::Contract::takes(result)) element.dtype = DType::f32;  // f16 and bf16 are summed in f32
  for (EinsumTerm& t : terms) t.value = with_element(t.value, element, where);
  return result;
}

/// Contracts terms pairwise, always the pair whose product costs least next; then orders the axes.
inline Tensor contract_all(std::vector<EinsumTerm> terms, const std::string& out, Where where) {
  const DType dtype = promote_terms(terms, where);
  for (EinsumTerm& t : terms) take_diagonals(t, where);
  const auto needed_without = [&](std::size_t i, std::size_t j) {
    std::string needed = out;
    for (std::size_t k = 0; k < terms.size(); ++k) {
      if (k != i && k != j) needed += terms[k].labels;
    }
    return needed;
  };
  while (terms.size() > 1) {
    std::size_t best_i = 0;
    std::size_t best_j = 1;
    double best = std::numeric_limits<double>::infinity();
    for (std::size_t i = 0; i < terms.size(); ++i) {
      for (std::size_t j = i + 1; j < terms.size(); ++j) {
        // Multiplications: the product of all extents of the pair.
        double cost = 1;
        for (std::size_t k = 0; k < terms[i].labels.size(); ++k) {
          cost *= static_cast<double>(terms[i].value.shape()[k]);
        }
        for (std::size_t k = 0; k < terms[j].labels.size(); ++k) {
          if (terms[i].labels.find(terms[j].labels[k]) == std::string::npos) {
            cost *= static_cast<double>(terms[j].value.shape()[k]);
          }
        }
        if (cost < best) best = cost, best_i = i, best_j = j;
      }
    }
    EinsumTerm product =
        contract_terms(terms[best_i], terms[best_j], needed_without(best_i, best_j), where);
    terms[best_i] = std::move(product);
    terms.erase(terms.begin() + static_cast<std::ptrdiff_t>(best_j));
  }
  sum_labels(terms[0], out, where);
  return with_element(order_labels(terms[0], out, where), {dtype, false}, where);
}

AUTOVEC_API Tensor einsum_of(std::string_view spec, std::vector<Tensor> operands, Where where) {
  std::string text;
  for (const char c : spec) {
    if (c != ' ') text += c;
  }
  const auto refuse = [&](std::string_view why) {
    std::string what("'");
    what += spec;
    what += "' ";
    what += why;
    fail<ShapeError>("einsum", what, where);
  };
  const std::size_t arrow = text.find("->");
  const std::string left = text.substr(0, arrow);
  std::vector<std::string> inputs{""};
  for (const char c : left) {
    if (c == ',') {
      inputs.emplace_back();
    } else {
      inputs.back() += c;
    }
  }
  if (inputs.size() != operands.size()) {
    refuse("names " + number_text(inputs.size()) + " operands, got " +
           number_text(operands.size()));
  }
  // `...` stands for leading axes that broadcast; they get labels of their own, aligned at the
  // back.
  std::string used = text;
  std::string ellipsis;
  std::size_t ellipsis_rank = 0;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    const std::size_t dots = inputs[i].find("...");
    if (dots == std::string::npos) continue;
    if (operands[i].rank() + 3 < inputs[i].size())
      refuse("does not fit " + type_text(operands[i].type()));
    ellipsis_rank = std::max(ellipsis_rank, operands[i].rank() + 3 - inputs[i].size());
  }
  for (std::size_t i = 0; i < ellipsis_rank; ++i) {
    const char c = ops::Contract::free_label(used);
    ellipsis += c;
    used += c;
  }
  std::string out = arrow == std::string::npos ? std::string() : text.substr(arrow + 2);
  if (arrow == std::string::npos) {
    // Without an arrow: the ellipsis, then the labels that stand once, in alphabetical order.
    std::string once;
    for (const char c : left) {
      if (std::isalpha(static_cast<unsigned char>(c)) &&
          std::count(left.begin(), left.end(), c) == 1)
        once += c;
    }
    std::sort(once.begin(), once.end());
    out = ellipsis + once;
  } else if (const std::size_t dots = out.find("..."); dots != std::string::npos) {
    out.replace(dots, 3, ellipsis);
  }
  std::vector<EinsumTerm> terms;
  Extents extents(128, -1);
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    std::string labels = inputs[i];
    if (const std::size_t dots = labels.find("..."); dots != std::string::npos) {
      labels.replace(dots, 3,
                     ellipsis.substr(ellipsis_rank - (operands[i].rank() + 3 - inputs[i].size())));
    }
    if (labels.size() != operands[i].rank())
      refuse("does not fit " + type_text(operands[i].type()));
    Tensor value = operands[i];
    for (std::size_t k = labels.size(); k-- > 0;) {
      if (!std::isalpha(static_cast<unsigned char>(labels[k]))) refuse("is no list of labels");
      // An ellipsis axis of extent 1 broadcasts: it is left out.
      if (ellipsis.find(labels[k]) != std::string::npos && value.shape()[k] == 1) {
        bool wide = false;
        for (std::size_t j = 0; j < operands.size(); ++j) wide = wide || j != i;
        if (wide) {
          std::int64_t& extent = extents[static_cast<unsigned char>(labels[k])];
          if (extent < 0) extent = 1;
          value = squeeze(Operand(value, where), static_cast<std::int64_t>(k));
          labels.erase(k, 1);
          continue;
        }
      }
      std::int64_t& extent = extents[static_cast<unsigned char>(labels[k])];
      const std::int64_t here = value.shape()[k];
      if (extent > 1 || (extent >= 0 && ellipsis.find(labels[k]) == std::string::npos)) {
        if (extent != here) {
          std::vector<Type> types;
          for (const Tensor& x : operands) types.push_back(x.type());
          refuse("gives label '" + std::string(1, labels[k]) + "' different extents in " +
                 types_text(types));
        }
      }
      extent = here;
    }
    terms.push_back({std::move(value), std::move(labels)});
  }
  std::string present;
  for (const EinsumTerm& t : terms) present += t.labels;
  std::string reachable;
  for (std::size_t i = 0; i < out.size(); ++i) {
    if (out.find(out[i]) != i) refuse("names a result label twice");
    if (extents[static_cast<unsigned char>(out[i])] < 0)
      refuse("asks for a label that no operand has");
    if (present.find(out[i]) != std::string::npos) reachable += out[i];
  }
  Tensor result = contract_all(std::move(terms), reachable, where);
  if (reachable.size() != out.size()) {  // axes that had extent 1 everywhere
    Extents shape;
    for (const char c : out) shape.push_back(extents[static_cast<unsigned char>(c)]);
    result = reshape(Operand(result, where), shape);
  }
  return result;
}

}  // namespace detail

namespace detail {
/// Throws ShapeError, in the words of `op`, unless the axes that are summed over correspond.
inline void check_inner(std::string_view op, const Operand& a, const Operand& b, std::size_t axis_a,
                        std::size_t axis_b) {
  if (a.type().shape[axis_a] == b.type().shape[axis_b]) return;
  const Type types[2] = {a.type(), b.type()};
  fail<ShapeError>(op, "inner extents differ: " + types_text(types), a.where());
}
}  // namespace detail

AUTOVEC_API Tensor MatmulFunction::operator()(Operand a, Operand b) const {
  const Where where = a.where();
  const std::size_t ra = a.rank();
  const std::size_t rb = b.rank();
  if (ra == 0 || rb == 0) {
    const Type types[2] = {a.type(), b.type()};
    fail<ShapeError>("matmul", "operands need at least one axis: " + detail::types_text(types),
                     where);
  }
  detail::check_inner("matmul", a, b, ra - 1, rb == 1 ? 0 : rb - 2);
  const std::string left = ra == 1 ? "k" : ra == 2 ? "ik" : "...ik";
  const std::string right = rb == 1 ? "k" : rb == 2 ? "kj" : "...kj";
  std::string out = ra > 2 || rb > 2 ? "..." : "";
  if (ra > 1) out += 'i';
  if (rb > 1) out += 'j';
  return detail::einsum_of(left + "," + right + "->" + out, {a.tensor(), b.tensor()}, where);
}

AUTOVEC_API Tensor DotFunction::operator()(Operand a, Operand b) const {
  if (a.rank() == 0 || b.rank() == 0) return emit_map<ops::Mul>(a, b);
  detail::check_inner("dot", a, b, a.rank() - 1, b.rank() == 1 ? 0 : b.rank() - 2);
  std::string left, right, out;
  char next = 'a';
  for (std::size_t i = 0; i + 1 < a.rank(); ++i) left += next, out += next++;
  left += 'z';
  for (std::size_t i = 0; i < b.rank(); ++i) {
    if (i + 2 == b.rank() || b.rank() == 1) {
      right += 'z';
    } else {
      right += next;
      out += next++;
    }
  }
  return detail::einsum_of(left + "," + right + "->" + out, {a.tensor(), b.tensor()}, a.where());
}

AUTOVEC_API Tensor VdotFunction::operator()(Operand a, Operand b) const {
  const Where where = a.where();
  const Operand x(reshape(a, {-1}), where);
  const Operand y(reshape(b, {-1}), where);
  detail::check_inner("vdot", x, y, 0, 0);
  return detail::einsum_of("i,i->", {x.tensor(), y.tensor()}, where);
}

AUTOVEC_API Tensor OuterFunction::operator()(Operand a, Operand b) const {
  return detail::einsum_of("i,j->ij", {reshape(a, {-1}), reshape(b, {-1})}, a.where());
}

AUTOVEC_API Tensor InnerFunction::operator()(Operand a, Operand b) const {
  if (a.rank() == 0 || b.rank() == 0) return emit_map<ops::Mul>(a, b);
  detail::check_inner("inner", a, b, a.rank() - 1, b.rank() - 1);
  std::string left, right;
  char next = 'a';
  for (std::size_t i = 0; i + 1 < a.rank(); ++i) left += next++;
  for (std::size_t i = 0; i + 1 < b.rank(); ++i) right += next++;
  return detail::einsum_of(left + "z," + right + "z->" + left + right, {a.tensor(), b.tensor()},
                           a.where());
}

AUTOVEC_API Tensor TensordotFunction::operator()(Operand a, Operand b, std::int64_t axes) const {
  const std::size_t least = std::min(a.rank(), b.rank());
  if (axes < 0 || axes > static_cast<std::int64_t>(least)) {
    const Type types[2] = {a.type(), b.type()};
    fail<ShapeError>(
        "tensordot",
        "no " + number_text(axes) + " axes to sum over in " + detail::types_text(types), a.where());
  }
  Extents of_a, of_b;
  for (std::int64_t i = 0; i < axes; ++i) {
    of_a.push_back(static_cast<std::int64_t>(a.rank()) - axes + i);
    of_b.push_back(i);
  }
  return (*this)(a, b, of_a, of_b);
}

AUTOVEC_API Tensor TensordotFunction::operator()(Operand a, Operand b, Extents axes_a,
                                                 Extents axes_b) const {
  if (axes_a.size() != axes_b.size()) {
    fail<ShapeError>("tensordot", "the operands name different numbers of axes", a.where());
  }
  std::string left(a.rank(), ' '), right(b.rank(), ' '), out;
  char next = 'a';
  for (std::size_t i = 0; i < axes_a.size(); ++i, ++next) {
    const auto in_a =
        static_cast<std::size_t>(wrap_axis(axes_a[i], a.rank(), "tensordot", a.where()));
    const auto in_b =
        static_cast<std::size_t>(wrap_axis(axes_b[i], b.rank(), "tensordot", a.where()));
    if (left[in_a] != ' ' || right[in_b] != ' ') {
      fail<ShapeError>(
          "tensordot",
          "an axis is named twice in " + shape_text(left[in_a] != ' ' ? axes_a : axes_b),
          a.where());
    }
    detail::check_inner("tensordot", a, b, in_a, in_b);
    left[in_a] = right[in_b] = next;
  }
  for (std::string* labels : {&left, &right}) {
    for (char& c : *labels) {
      if (c == ' ') out += c = next++;
    }
  }
  return detail::einsum_of(left + "," + right + "->" + out, {a.tensor(), b.tensor()}, a.where());
}

AUTOVEC_API Tensor KronFunction::operator()(Operand a, Operand b) const {
  if (a.rank() != 2 || b.rank() != 2) fail<ShapeError>("kron", "expected two matrices", a.where());
  const Extents x = a.type().shape;
  const Extents y = b.type().shape;
  const Tensor all_products = detail::einsum_of("ij,kl->ikjl", {a.tensor(), b.tensor()}, a.where());
  return reshape(Operand(all_products, a.where()), {x[0] * y[0], x[1] * y[1]});
}

}  // namespace autovec::inline v1
