// AddressCounts: how many connections each address has, so that none takes all there are.
#ifndef BENNU_SRC_SERVER_NET_ADDRESS_COUNTS_H_
#define BENNU_SRC_SERVER_NET_ADDRESS_COUNTS_H_

#include <cstddef>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>

#include "src/base/mutex.h"

namespace bennu::server::net {

// Thread-safe. Owned by a shared_ptr, since places may be held longer than the listener lives.
class AddressCounts : public std::enable_shared_from_this<AddressCounts> {
 public:
  // A place of the address, held as long as what is returned lives. Null: it has 'count_max'.
  std::shared_ptr<void> TryEnter(const std::string& address, size_t count_max) {
    {
      MutexLock lock(&mu_);
      size_t& count = counts_[address];
      if (count >= count_max) return nullptr;
      ++count;
    }
    return std::make_shared<Place>(shared_from_this(), address);
  }

 private:
  class Place {
   public:
    Place(std::shared_ptr<AddressCounts> counts, std::string address)
        : counts_(std::move(counts)), address_(std::move(address)) {}
    ~Place() { counts_->Leave(address_); }
    Place(const Place&) = delete;
    Place& operator=(const Place&) = delete;

   private:
    const std::shared_ptr<AddressCounts> counts_;
    const std::string address_;
  };

  void Leave(const std::string& address) {
    MutexLock lock(&mu_);
    const auto found = counts_.find(address);
    if (--found->second == 0) counts_.erase(found);
  }

  Mutex mu_;
  std::unordered_map<std::string, size_t> counts_ GUARDED_BY(mu_);
};

}  // namespace bennu::server::net

#endif  // BENNU_SRC_SERVER_NET_ADDRESS_COUNTS_H_
