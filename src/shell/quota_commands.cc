// Quotas of a running server: set_quota, list_quotas and what tables take.
#include <fmt/format.h>

#include <cctype>
#include <charconv>
#include <limits>
#include <optional>
#include <regex>
#include <string>

#include "src/base/status_macros.h"
#include "src/shell/command.h"
#include "src/shell/options.h"

namespace bennu::shell {

namespace {

using api::ClusterControl;

// A number and what stands behind it, in small letters: "10M/sec" is 10 and "m/sec".
struct Amount {
  uint64_t number = 0;
  std::string rest;
};

std::optional<Amount> ReadAmount(std::string_view text) {
  Amount amount;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), amount.number);
  if (error != std::errc()) return std::nullopt;
  for (const char c : text.substr(static_cast<size_t>(end - text.data()))) {
    amount.rest += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  return amount;
}

// Of "k", "m" …; "" and "b" are bytes.
std::optional<uint64_t> InBytes(uint64_t number, std::string_view suffix) {
  if (suffix.empty() || suffix == "b") return number;
  constexpr std::string_view kSuffixes = "kmgtp";
  const size_t at = suffix.size() == 1 ? kSuffixes.find(suffix[0]) : std::string_view::npos;
  if (at == std::string_view::npos) return std::nullopt;
  const unsigned shift = 10 * (static_cast<unsigned>(at) + 1);
  if (number > std::numeric_limits<uint64_t>::max() >> shift) return std::nullopt;
  return number << shift;
}

Result<ClusterControl::QuotaTarget> TargetOf(Options* options) {
  ClusterControl::QuotaTarget target;
  target.user = options->Text("USER");
  target.table = options->Text("TABLE");
  target.name_space = options->Text("NAMESPACE");
  target.region_server = options->Text("REGIONSERVER");
  if (!target.user && !target.table && !target.name_space && !target.region_server) {
    return InvalidArgument("One of USER, TABLE, NAMESPACE or REGIONSERVER must be specified");
  }
  return target;
}

Result<Value> SetThrottle(ClusterControl* cluster, Options* options) {
  ASSIGN_OR_RETURN(const auto target, TargetOf(options));
  const auto limit = options->Text("LIMIT");
  const auto kind = options->Text("THROTTLE_TYPE");
  const auto scope = options->Text("SCOPE");
  RETURN_IF_ERROR(options->CheckAllKnown());
  if (!limit || *limit == "NONE") {
    // With a type HBase takes away what it counts in every way.
    if (!kind) {
      RETURN_IF_ERROR(cluster->SetThrottle(target, "", std::nullopt));
      return Value();
    }
    for (const char* counted : {"_NUMBER", "_SIZE", "_CAPACITY_UNIT"}) {
      RETURN_IF_ERROR(cluster->SetThrottle(target, *kind + counted, std::nullopt));
    }
    return Value();
  }
  const auto amount = ReadAmount(*limit);
  const size_t slash = amount ? amount->rest.find('/') : std::string::npos;
  if (slash == std::string::npos) return InvalidArgument("Invalid throttle limit syntax");
  ClusterControl::ThrottleLimit throttle;
  throttle.unit = amount->rest.substr(slash + 1);
  const std::string counted = amount->rest.substr(0, slash);
  std::string type = kind.value_or("REQUEST");
  if (counted == "req" || counted == "cu") {
    throttle.amount = amount->number;
    type += counted == "req" ? "_NUMBER" : "_CAPACITY_UNIT";
  } else if (const auto bytes = InBytes(amount->number, counted); bytes && !counted.empty()) {
    throttle.amount = *bytes;
    type += "_SIZE";
  } else {
    return InvalidArgument("Invalid throttle limit syntax");
  }
  if (throttle.amount == 0) {
    return InvalidArgument("Invalid throttle limit, must be greater than 0");
  }
  if (scope && *scope != "MACHINE" && *scope != "CLUSTER") {
    return InvalidArgument("SCOPE is MACHINE or CLUSTER, not " + *scope);
  }
  throttle.per_cluster = scope == "CLUSTER";
  RETURN_IF_ERROR(cluster->SetThrottle(target, type, throttle));
  return Value();
}

Result<Value> SetSpace(ClusterControl* cluster, Options* options) {
  ASSIGN_OR_RETURN(const auto target, TargetOf(options));
  const auto limit = options->Text("LIMIT");
  const auto policy = options->Text("POLICY");
  RETURN_IF_ERROR(options->CheckAllKnown());
  if (limit == "NONE") {
    RETURN_IF_ERROR(cluster->SetSpaceLimit(target, std::nullopt));
    return Value();
  }
  if (!limit) return InvalidArgument("Expected a LIMIT to be provided");
  if (!policy) return InvalidArgument("Expected a POLICY to be provided");
  const auto amount = ReadAmount(*limit);
  const auto bytes = amount ? InBytes(amount->number, amount->rest) : std::nullopt;
  if (!bytes) return InvalidArgument("Invalid size limit syntax");
  RETURN_IF_ERROR(cluster->SetSpaceLimit(target, ClusterControl::SpaceLimit{*bytes, *policy}));
  return Value();
}

Result<Value> RunSetQuota(const Environment& environment, const Arguments& arguments) {
  ASSIGN_OR_RETURN(ClusterControl* const cluster, ClusterOf(environment));
  ASSIGN_OR_RETURN(Options options, Options::Of(arguments[0]));
  if (const auto type = options.Text("TYPE"); type.has_value()) {
    if (*type == "THROTTLE") return SetThrottle(cluster, &options);
    if (*type == "SPACE") return SetSpace(cluster, &options);
    return InvalidArgument("Invalid TYPE argument. got " + *type);
  }
  if (!options.Has("GLOBAL_BYPASS")) return InvalidArgument("Expected TYPE argument");
  ASSIGN_OR_RETURN(const bool bypass, options.Boolean("GLOBAL_BYPASS", false));
  const auto user = options.Text("USER");
  RETURN_IF_ERROR(options.CheckAllKnown());
  if (!user) return InvalidArgument("Expected USER");
  RETURN_IF_ERROR(cluster->SetGlobalBypass(*user, bypass));
  return Value();
}

// Whether the owner, "USER => u, TABLE => t", has that part, and it matches as a whole.
Result<bool> Has(const std::string& owner, std::string_view part, const Value& regex) {
  const std::string head = fmt::format("{} => ", part);
  const size_t at = owner.find(head);
  if (at == std::string::npos) return false;
  const std::string name = owner.substr(at + head.size());
  ASSIGN_OR_RETURN(const auto matching, MatchingNames({name.substr(0, name.find(", "))}, regex));
  return !matching.empty();
}

Result<Value> RunListQuotas(const Environment& environment, const Arguments& arguments) {
  ASSIGN_OR_RETURN(ClusterControl* const cluster, ClusterOf(environment));
  ASSIGN_OR_RETURN(Options options, Options::Of(ArgumentAt(arguments, 0)));
  ASSIGN_OR_RETURN(const int64_t limit, options.Integer("LIMIT", -1));
  std::vector<std::pair<std::string_view, const Value*>> wanted;
  for (const char* part : {"USER", "TABLE", "NAMESPACE"}) {
    if (const Value* const regex = options.Find(part); regex != nullptr) {
      wanted.emplace_back(part, regex);
    }
  }
  RETURN_IF_ERROR(options.CheckAllKnown());
  ASSIGN_OR_RETURN(const auto quotas, cluster->ListQuotas());
  environment.printer->Header("OWNER", "QUOTAS");
  size_t count = 0;
  for (const auto& quota : quotas) {
    if (limit > 0 && count >= static_cast<size_t>(limit)) break;
    bool fits = true;
    for (const auto& [part, regex] : wanted) {
      ASSIGN_OR_RETURN(const bool has, Has(quota.owner, part, *regex));
      fits = fits && has;
    }
    if (!fits) continue;
    environment.printer->Row(quota.owner, quota.settings);
    ++count;
  }
  environment.printer->Footer(count);
  return Value();
}

Result<Value> RunListSizes(const Environment& environment, const Arguments& /*arguments*/) {
  ASSIGN_OR_RETURN(ClusterControl* const cluster, ClusterOf(environment));
  ASSIGN_OR_RETURN(const auto sizes, cluster->ListTableSizes());
  environment.printer->Header("TABLE", "SIZE");
  for (const auto& size : sizes) environment.printer->Row(size.table, std::to_string(size.usage));
  environment.printer->Footer(sizes.size());
  return Value();
}

// Of tables, by their names without the namespace, and of namespaces.
Result<Value> RunListQuotaSnapshots(const Environment& environment, const Arguments& arguments) {
  ASSIGN_OR_RETURN(ClusterControl* const cluster, ClusterOf(environment));
  ASSIGN_OR_RETURN(Options options, Options::Of(ArgumentAt(arguments, 0)));
  const auto table = options.Text("TABLE");
  const auto name_space = options.Text("NAMESPACE");
  options.Text("REGIONSERVER");  // all servers say the same
  RETURN_IF_ERROR(options.CheckAllKnown());
  ASSIGN_OR_RETURN(const auto uses, cluster->ListSpaceUse());
  Printer* const printer = environment.printer;
  printer->Columns({"TABLE", "USAGE", "LIMIT", "IN_VIOLATION", "POLICY"});
  size_t count = 0;
  for (const auto& use : uses) {
    ASSIGN_OR_RETURN(const TableName name, TableName::Parse(use.table));
    if ((table && name.qualifier != *table) || (name_space && name.name_space != *name_space)) {
      continue;
    }
    printer->Columns({use.table, std::to_string(use.usage), std::to_string(use.limit),
                      use.violated ? "true" : "false", use.violated.value_or("None")});
    ++count;
  }
  printer->Footer(count);
  return Value();
}

}  // namespace

std::vector<Command> QuotaCommands() {
  return {
      {"list_quota_snapshots", "quotas", 0, 1, RunListQuotaSnapshots, false},
      {"list_quota_table_sizes", "quotas", 0, 1, RunListSizes, false},
      {"list_quotas", "quotas", 0, 1, RunListQuotas, false},
      {"set_quota", "quotas", 1, 1, RunSetQuota, false},
  };
}

}  // namespace bennu::shell
