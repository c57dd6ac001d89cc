#!/usr/bin/env bash
# `bennu passwd`, and a server that lets users in alone: without TLS, with it, and what it refuses to open.
#   users.sh PATH-OF-BENNU
set -uo pipefail
here=$(realpath "$(dirname "$0")")
. "$here/lib.sh"
server=
trap '[[ -z $server ]] || kill -9 "$server" 2>/dev/null; rm -rf "$work"' EXIT
unset BENNU_PASSWORD

# says NAME PATTERN FILE
says() { check "$1" yes "$(grep -Eq -- "$2" "$3" && echo yes || cat "$3")"; }
# asks [OPTION…] PATH: the HTTP status; the whole answer is in the file page.
asks() {
  python3 -B "$here/http_get.py" "${@:1:$#-1}" "$pages${*: -1}" >page 2>page.errors || cat page.errors
  head -1 page
}
stop_server() {
  kill -TERM "$server"
  wait "$server"
  check "the server ends well" 0 $?
  server=
}

printf 's3cret\nnot read\n' >password
exits "a user is added" 0 "$bennu" passwd users ann <password
check "no password stands in the file" 0 "$(grep -c s3cret users)"
says "its hash does" '^ann:\$y\$' users
check "the file is its owner's and group's" 640 "$(stat -c %a users)"
exits "a second one" 0 "$bennu" passwd users bob <password
exits "who goes again" 0 "$bennu" passwd users bob --remove
check "one is left" 1 "$(wc -l <users)"
exits "nobody can be removed twice" 2 "$bennu" passwd users bob --remove
says "and that is said" 'users has no user bob' err
exits "a password is needed" 2 "$bennu" passwd users bob </dev/null
exits "a name has no colon" 2 "$bennu" passwd users a:b <password
says "and that is said" 'no colon' err

ports=(--zk-port none --master-port none --rs-port none --http-port 0 --phoenix-port 0)
start_server store "${ports[@]}" --users users
url=http://ann@127.0.0.1:$(port_of phoenix)
pages=http://127.0.0.1:$(port_of http)
exits "without a user nobody gets in" 3 "$bennu" sql "${url/ann@/}" -c "SELECT 1"
says "and learns what to say" 'wants a user .*http://USER@HOST:PORT.*BENNU_PASSWORD' err
exits "nor without a password" 2 "$bennu" sql "$url" -c "SELECT 1" </dev/null
says "and learns how to give it" 'set the variable BENNU_PASSWORD' err
BENNU_PASSWORD=wrong exits "nor with a wrong one" 3 "$bennu" sql "$url" -c "SELECT 1"
BENNU_PASSWORD=s3cret exits "but with the right one" 0 "$bennu" sql "$url" --format csv -c "SELECT 1 AS A"
check "and is answered" $'A\n1' "$(cat out)"
exits "which may stand in the URL" 0 "$bennu" sql "${url/ann/ann:s3cret}" -c "SELECT 1"
exits "or in Avatica's properties" 0 "$bennu" sql "${url/ann@/}" --conf avatica_user=ann --conf avatica_password=s3cret -c "SELECT 1"
exits "messages show no password" 2 "$bennu" sql http://ann:s3cret@127.0.0.1:0 -c "SELECT 1"
check "of a URL that is wrong" 0 "$(grep -c s3cret err)"
check "pages ask for it, too" 401 "$(asks /metrics)"
check "and are shown then" 200 "$(asks --user ann:s3cret /metrics)"
check "health is told to anybody" 200 "$(asks /healthz)"
printf 'changed\n' | "$bennu" passwd users ann
kill -HUP "$server"
for _ in $(seq 50); do [[ $(asks --user ann:changed /metrics) != 200 ]] || break; sleep 0.1; done
check "SIGHUP reads the users again" 200 "$(asks --user ann:changed /metrics)"
check "the old password is gone" 401 "$(asks --user ann:s3cret /metrics)"
stop_server

# TLS on both ports, with a certificate of an authority of ours.
{
  openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=authority -keyout ca.key -out ca.pem
  openssl req -newkey rsa:2048 -nodes -subj /CN=localhost -keyout server.key -out server.csr
  openssl x509 -req -in server.csr -CA ca.pem -CAkey ca.key -days 2 -out server.crt \
    -extfile <(echo "subjectAltName=DNS:localhost,IP:127.0.0.1")
} 2>openssl.log || check "openssl made certificates" "" "$(cat openssl.log)"
cat server.crt server.key >server.pem
cat >site.xml <<XML
<configuration>
<property><name>hbase.server.netty.tls.enabled</name><value>true</value></property>
<property><name>hbase.server.netty.tls.client.auth.mode</name><value>NONE</value></property>
<property><name>hbase.rpc.tls.keystore.location</name><value>$PWD/server.pem</value></property>
<property><name>hbase.ssl.enabled</name><value>true</value></property>
<property><name>bennu.http.users</name><value>$PWD/users</value></property>
<property><name>bennu.http.compression</name><value>always</value></property>
</configuration>
XML
# On all addresses, which users and TLS allow.
start_server store "${ports[@]}" --listen 0.0.0.0 --config site.xml
export BENNU_PASSWORD=changed
url=https://ann@127.0.0.1:$(port_of phoenix)
pages=https://127.0.0.1:$(port_of http)
exits "https works" 0 "$bennu" sql "$url" --conf truststore="$PWD/ca.pem" --format csv -c "SELECT 1 AS A"
check "and answers" $'A\n1' "$(cat out)"
# HBase's names for it, as a URL of a cluster takes them.
cp ca.pem ca.certificates
exits "the property of HBase's clients works as well" 0 "$bennu" sql "$url" -D hbase.rpc.tls.truststore.location="$PWD/ca.certificates" \
  -D hbase.rpc.tls.truststore.type=PEM --format csv -c "SELECT 1 AS A"
check "and answers" $'A\n1' "$(cat out)"
exits "a file that is not there" 3 "$bennu" sql "$url" -D hbase.rpc.tls.truststore.location=nowhere.pem -c "SELECT 1"
exits "whom to trust without TLS" 2 "$bennu" sql "http${url#https}" -D truststore="$PWD/ca.pem" -c "SELECT 1"
says "and that is said" '-D truststore: http:// goes without TLS' err
exits "a certificate that nobody trusts is refused" 3 "$bennu" sql "$url" -c "SELECT 1"
says "and that is said" 'certificate is not trusted' err
exits "passwords do not go over the network in the clear" 3 "$bennu" sql "http${url#https}" -c "SELECT 1"
check "pages speak TLS" 200 "$(asks --trust ca.pem --user ann:changed /metrics)"
check "and are not compressed unasked" "" "$(sed -n 2p page)"
check "but on request" 200 "$(asks --gzip --trust ca.pem --user ann:changed /metrics)"
check "with gzip" gzip "$(sed -n 2p page)"
check "and read again" 1 "$(grep -c '^hbase_server_info' page)"
stop_server

sed -i '/bennu.http.users/d' site.xml
exits "an open address wants users" 2 "$bennu" serve store "${ports[@]}" --listen 0.0.0.0 --config site.xml
says "and says so" 'query server would be there without authentication: set bennu.http.users' err
exits "and TLS" 2 "$bennu" serve store "${ports[@]}" --listen 0.0.0.0 --users users
says "and says so" 'query server would be there without TLS' err
exits "ports of HBase have neither" 2 "$bennu" serve store --listen 0.0.0.0 --users users
says "and are refused" "HBase's clients need no authentication" err
echo 'ann:plain' >plain
exits "a password as it is, is no hash" 2 "$bennu" serve store "${ports[@]}" --users plain
says "the line is named" 'plain:1: the hash is none of' err
exits "users must be there" 3 "$bennu" serve store "${ports[@]}" --users nowhere
echo "$checks checks, $failures failed"
[[ $failures -eq 0 ]]
