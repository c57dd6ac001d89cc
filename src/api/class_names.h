// Values of attributes that name a class. Pure functions.
#ifndef BENNU_SRC_API_CLASS_NAMES_H_
#define BENNU_SRC_API_CLASS_NAMES_H_

#include <span>
#include <string>
#include <string_view>

#include "bennu/status.h"
#include "src/api/attributes.h"

namespace bennu::api {

// What comes behind the package and the class around it, without spaces at the end.
std::string_view LastPartOfClass(std::string_view class_name);

// NotSupported, naming the known ones, when the attribute is there, has a value, and this is none
// of the classes whose last parts are 'known'.
Status CheckClass(std::string_view owner, const Attributes& attributes, const std::string& key,
                  std::span<const std::string_view> known);

}  // namespace bennu::api

#endif  // BENNU_SRC_API_CLASS_NAMES_H_
