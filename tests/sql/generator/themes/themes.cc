#include "tests/sql/generator/themes/themes.h"

#include "tests/sql/generator/themes/makers.h"

namespace bennu::sql::testing {
namespace {

struct Theme {
  const char* name;
  void (*make)(ThemeText* text);
};

constexpr Theme kThemes[] = {
    {"parameters", MakeParameters}, {"tenants", MakeTenants},
    {"sequences", MakeSequences},   {"alterations", MakeAlterations},
    {"timestamps", MakeTimestamps}, {"arrays", MakeArrays},
    {"changes", MakeChanges},       {"numbers", MakeNumbers},
    {"moments", MakeMoments},       {"rows", MakeRows},
    {"joins", MakeJoins},           {"indexes", MakeIndexes},
};

}  // namespace

std::vector<std::string> ThemeNames() {
  std::vector<std::string> names;
  for (const Theme& theme : kThemes) names.emplace_back(theme.name);
  return names;
}

std::string ThemeSession(const std::string& theme, Choices* choices, const std::string& prefix) {
  for (const Theme& each : kThemes) {
    if (theme != each.name) continue;
    ThemeText text(choices, prefix);
    each.make(&text);
    return text.Take();
  }
  return "";
}

}  // namespace bennu::sql::testing
