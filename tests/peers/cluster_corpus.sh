#!/usr/bin/env bash
# The recorded SQL over a real cluster, one file after another from clean tables: what Phoenix answered must come out, but for
# what tests/sql/cluster_exceptions lists, or cluster_exceptions.phoenix where the servers have Phoenix. hbase-2.6: by that
# version of HBase, without Phoenix.
#   cluster_corpus.sh PATH-OF-BENNU some|all [phoenix|hbase-2.6]
set -euo pipefail
bennu=${1:?the path of the bennu program}
share=${2:?some or all}
servers=${3:-}
# Its jars lie in a folder of their own.
if [[ $servers == hbase-2.6 ]]; then
  export PEER_HBASE=2.6.1-hadoop3 PEER_JARS=${PEER_JARS:+$PEER_JARS-2.6} PEER_ARCHIVE=0
fi
here=$(cd "$(dirname "$0")" && pwd)
. "$here/cluster_lib.sh"
export TZ=UTC
sql=$here/../sql

# Some files of every folder, that take little time for what they ask.
some=(aggregates/all arrays/all ddl/{defaults,schemas_and_metadata,sequences} dml/{delete,on_duplicate_key,upsert,upsert_select}
  errors/codes explain/plans functions/{binary_hash,datetime,math,string} index/{global_covered,immutable_single_cell,uncovered}
  keys/{article_five_columns,pk_int_vc,pk_vcd_ve_int,rvc_and_skip_scan} row_timestamp/{article,date,scn} salting/fuzzy_fixed_fields
  select/{group_having,joins,subqueries,where_order_limit} types/{decimal,integer,timestamp,varbinary_encoded,varchar})
case $share in
some) files=("${some[@]/#/$sql/recorded/}") && files=("${files[@]/%/.test}") ;;
all) files=("$sql/recorded") ;;
*) fail "no share '$share'; there are some and all" ;;
esac
for folder in "$sql"/recorded/*/; do
  [[ $share == all || " ${files[*]} " == *" $sql/recorded/$(basename "$folder")/"* ]] || fail "no file of $folder"
done

case $servers in
"" | hbase-2.6) say "a cluster without Phoenix" && exceptions=$sql/cluster_exceptions && export PEER_PHOENIX=0 ;;
phoenix) say "a cluster with Phoenix" && exceptions=$sql/cluster_exceptions.phoenix && export PEER_PHOENIX=1 ;;
*) fail "no servers '$servers'; there are phoenix and hbase-2.6" ;;
esac
quietly "$kit" start --fresh
say "the records"
"$bennu" sqltest --deviations "$sql/deviations" --pending "$sql/pending" --cluster "$cluster" \
  --exceptions "$exceptions" "${files[@]}"
say "done"
