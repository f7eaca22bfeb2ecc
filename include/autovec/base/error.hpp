// The library's exceptions: one base, one class for each kind of fault.
// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "autovec/base/config.hpp"
#include "autovec/base/where.hpp"

namespace autovec::inline v1 {

/// Base of everything the library throws. `what()` is `op: fault`, then `  at file:line`, then
/// `  hint: ...` where we know one.
class Error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Extents, axes or ranks that do not fit.
class ShapeError : public Error {
  using Error::Error;
};
/// A dtype, or the type of a tree, that does not fit.
class TypeError : public Error {
  using Error::Error;
};
/// A handle used outside its trace, or a traced value used as a C++ value.
class TraceError : public Error {
  using Error::Error;
};
/// Something that has no meaning here and never will (a derivative of a sort key, say).
class Unsupported : public Error {
  using Error::Error;
};
/// A device, driver or code generator that failed.
class DeviceError : public Error {
  using Error::Error;
};
/// Our own bug.
class InternalError : public Error {
  using Error::Error;
};
/// A text that does not parse; `what()` names line and column.
class ParseError : public Error {
  using Error::Error;
};

/// Throws `Kind` with the message in the library's form.
template <class Kind>
[[noreturn]] inline void fail(std::string_view op, std::string_view fault, Where where,
                              std::string_view hint = {}) {
  std::string text(op);
  text += ": ";
  text += fault;
  if (where.known()) {
    text += "\n  at ";
    text += where.text();
  }
  if (!hint.empty()) {
    text += "\n  hint: ";
    text += hint;
  }
  throw Kind(text);
}

/// Throws InternalError unless `holds`; for invariants that only our own bugs break.
inline void ensure(bool holds, std::string_view what) {
  if (!holds) {
    std::string text("internal error: ");
    text += what;
    throw InternalError(text);
  }
}

}  // namespace autovec::inline v1
