// Rows of a result as a frame has them: messages of protobuf, or arrays of JSON.
#ifndef BENNU_SRC_AVATICA_ROW_WRITER_H_
#define BENNU_SRC_AVATICA_ROW_WRITER_H_

#include <string>

#include "src/avatica/messages.h"
#include "src/sql/types/vector.h"

namespace bennu::avatica {

// Dates are days and times milliseconds of the day, as Avatica has them: a DATE loses its time,
// and is the day that it lies in. TIMESTAMP loses what is below a millisecond. In protobuf what is
// lost is told, too, in double_value, which other clients do not look at: milliseconds of DATE and
// TIME, nanoseconds of TIMESTAMP. JSON and BSON are
// their text. Text that is no UTF-8 gets U+FFFD for each wrong byte, as in Java.
// One thread at a time.
class RowWriter {
 public:
  explicit RowWriter(Form form) : form_(form) {}

  // Appends row 'row' of the chunk, which becomes an element of Frame::rows.
  void Write(const sql::DataChunk& chunk, size_t row, std::string* out);

 private:
  const Form form_;
  std::string value_;  // room for one at a time
};

}  // namespace bennu::avatica

#endif  // BENNU_SRC_AVATICA_ROW_WRITER_H_
