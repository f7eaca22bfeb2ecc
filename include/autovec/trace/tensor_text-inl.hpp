// Tensors as text: what tensor_text.hpp declares.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <ostream>
#include <string>
#include <vector>

#include "autovec/trace/tensor_text.hpp"

namespace autovec::inline v1 {

namespace detail {

/// One element; floats without a fraction end in a point.
inline std::string element_text(const Array& array, std::int64_t offset) {
  return dispatch(
      array.type.dtype,
      [&]<class T>() {
        const T value = array.as<T>()[offset];
        std::string text = number_text(value);
        if constexpr (std::is_floating_point_v<T>) {
          if (std::isfinite(value) && text.find_first_of(".e") == std::string::npos) text += '.';
        }
        return text;
      },
      [] { return std::string("?"); });
}

/// Prints the elements below one index prefix; long axes show their three first and last entries.
class TensorPrinter {
 public:
  explicit TensorPrinter(const Array& array) : array_(array), short_(array.type.size() > 1000) {
    measure(0, 0);
  }
  std::string text() {
    print(0, 0);
    return std::move(out_);
  }

 private:
  static constexpr std::int64_t edge = 3;
  template <class F>
  void for_shown(std::size_t axis, F&& f) const {
    const std::int64_t extent = array_.type.shape[axis];
    for (std::int64_t i = 0; i < extent; ++i) {
      if (short_ && extent > 2 * edge && i == edge) {
        f(-1);
        i = extent - edge;
      }
      f(i);
    }
  }
  static std::size_t point(const std::string& text) {
    const std::size_t at = text.find('.');
    return at == std::string::npos ? text.size() : at;
  }
  void measure(std::size_t axis, std::int64_t offset) {
    if (axis == array_.type.rank()) {
      const std::string text = element_text(array_, offset);
      left_ = std::max(left_, point(text));
      right_ = std::max(right_, text.size() - point(text));
      return;
    }
    for_shown(axis, [&](std::int64_t i) {
      if (i >= 0) measure(axis + 1, offset + i * array_.strides[axis]);
    });
  }
  void print(std::size_t axis, std::int64_t offset) {
    if (axis == array_.type.rank()) {
      const std::string text = element_text(array_, offset);
      out_.append(axis == 0 ? 0 : left_ - point(text), ' ');
      out_ += text;
      out_.append(axis == 0 ? 0 : right_ - (text.size() - point(text)), ' ');
      return;
    }
    const bool innermost = axis + 1 == array_.type.rank();
    bool first = true;
    out_ += '[';
    for_shown(axis, [&](std::int64_t i) {
      if (!first) {
        if (innermost) {
          out_ += ' ';
        } else {
          out_.append(array_.type.rank() - axis - 1, '\n');
          out_.append(axis + 1, ' ');
        }
      }
      first = false;
      if (i < 0) {
        out_ += "...";
      } else {
        print(axis + 1, offset + i * array_.strides[axis]);
      }
    });
    out_ += ']';
  }

  const Array& array_;
  bool short_;
  std::size_t left_ = 0;
  std::size_t right_ = 0;
  std::string out_;
};

}  // namespace detail

AUTOVEC_API std::string tensor_text(const Tensor& x) {
  if (x.is_empty()) return "Tensor()";
  if (x.is_traced()) {
    std::string out("Tensor(traced ");
    out += type_text(x.type());
    out += ')';
    return out;
  }
  if (x.is_number()) return number_text_as(x.state().number, x.dtype());
  return detail::TensorPrinter(x.state().array).text();
}

AUTOVEC_API std::ostream& operator<<(std::ostream& out, const Tensor& x) {
  return out << tensor_text(x);
}

}  // namespace autovec::inline v1
