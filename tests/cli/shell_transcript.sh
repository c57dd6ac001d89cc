# plain FILE: a transcript of the commands in shell_transcript.txt without what depends on the moment
# and on who keeps the table; sourced.

# A server notes how files are tracked, and HBase that a table is not hbase:meta.
plain() {
  sed -E -e 's/^Took [0-9.]+ seconds/Took T seconds/' \
    -e 's/timestamp=20(2[4-9]|[3-9][0-9])-[-0-9T:.]*/timestamp=NOW/' \
    -e 's/\(20[0-9]{2}-[-0-9]* [0-9:]* \+0000\)/(NOW)/' \
    -e "s/, METADATA => \{'hbase.store.file-tracker.impl' => 'DEFAULT'\}//" \
    -e "s/, \{TABLE_ATTRIBUTES => \{METADATA => \{'hbase.store.file-tracker.impl' => 'DEFAULT'\}\}\}//" \
    -e "s/, \{TABLE_ATTRIBUTES => \{IS_META => 'false', METADATA => \{'hbase.store.file-tracker.impl' => 'DEFAULT'\}\}\}//" \
    -e "s/, \{TABLE_ATTRIBUTES => \{IS_META => 'false'\}\}//" \
    "$1"
}
