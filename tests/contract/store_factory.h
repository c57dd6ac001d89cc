// How a contract suite gets hold of a store: one factory for each implementation of the data API.
#ifndef BENNU_TESTS_CONTRACT_STORE_FACTORY_H_
#define BENNU_TESTS_CONTRACT_STORE_FACTORY_H_

#include <memory>
#include <string>
#include <vector>

#include "bennu/table.h"

namespace bennu::testing {

// One store, which may be closed and opened again.
class StoreUnderTest {
 public:
  virtual ~StoreUnderTest() = default;
  virtual Connection* connection() = 0;
  // Closes and opens; pointers into the store are void. False: this kind keeps nothing.
  virtual bool Reopen() = 0;
  // Whether it knows a moment over all its tables; a cluster does not.
  virtual bool HasSnapshots() const { return true; }
};

struct StoreFactory {
  std::string name;
  std::unique_ptr<StoreUnderTest> (*make)();
};

// Every implementation.
std::vector<StoreFactory> AllStores();

}  // namespace bennu::testing

#endif  // BENNU_TESTS_CONTRACT_STORE_FACTORY_H_
