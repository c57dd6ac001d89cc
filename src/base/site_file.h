// Reads files of properties in the syntax of hbase-site.xml.
// Source: Hadoop's org.apache.hadoop.conf.Configuration.
#ifndef BENNU_SRC_BASE_SITE_FILE_H_
#define BENNU_SRC_BASE_SITE_FILE_H_

#include <map>
#include <string>
#include <string_view>

#include "bennu/status.h"

namespace bennu {

struct SiteProperty {
  std::string value;  // ${…} is put in; without blanks at its ends
  unsigned line = 0;  // of the file
};

// By name. Of properties given twice the last one counts, but for one that was said to be final.
using SiteProperties = std::map<std::string, SiteProperty>;

// 'path' is for messages. In values ${name} stands for another property of the file, ${env.NAME}
// for a variable of the environment, with ${env.NAME:-text} for when it is not set; what names
// nothing stays as it is. InvalidArgument, with the line: not such a file; xi:include, which is not
// followed.
Result<SiteProperties> ParseSiteFile(std::string_view path, std::string_view text);

// The same from a file. NotFound, IoError.
Result<SiteProperties> ReadSiteFile(const std::string& path);

}  // namespace bennu

#endif  // BENNU_SRC_BASE_SITE_FILE_H_
