// Floating-point numbers as text in the way of Java before version 19 (Double.toString and
// Float.toString), which HBase and Phoenix run on and whose digits get into encoded keys. Not
// always the shortest text that reads back: 2.0E-3 is 0.002, but 2^-44 has 17 digits where 16 would
// do. Pure functions.
#ifndef BENNU_SRC_ENCODING_JAVA_DOUBLE_H_
#define BENNU_SRC_ENCODING_JAVA_DOUBLE_H_

#include <string>

namespace bennu::encoding {

// "NaN", "Infinity", "-0.0", "1.0"; with an exponent, as "1.0E7", below 10^-3 and from 10^7 on.
std::string JavaDoubleToString(double value);
std::string JavaFloatToString(float value);

}  // namespace bennu::encoding

#endif  // BENNU_SRC_ENCODING_JAVA_DOUBLE_H_
