# The files that Claude Code would have written, and what must not be read in their place.
home=projects/shop/bbbbbbbb-0000-4000-8000-00000000000
for n in 1 3 4 5 6; do mkdir -p ${home}$n/tool-results; done
log() {
  awk -v word="$1" 'BEGIN { for (i = 0; i < 4000; i++) {
    if (i == 1800) print "ERROR worker-3 " word " refused connection (53300)"
    print "2026-01-01T00:00:00 INFO worker-" i % 7 " handled request " i " in 3 ms of the morning" } }'
}
log zanzibar > ${home}1/tool-results/b1.txt
log bandicoot > ${home}5/tool-results/mcp-logs-read-1.txt
mkdir outside
echo "the word is xylophone" > outside/secret.txt
ln -s "$PWD/outside/secret.txt" ${home}3/tool-results/b3.txt
log wallaby > ${home}6/tool-results/b6.txt
log echidna > ${home}6/tool-results/b7.txt
awk 'BEGIN { printf "["; for (i = 0; i < 3000; i++) {
  printf "%s{\"id\": %d, \"note\": \"row %d %s\"}", i ? ", " : "", i, i, i == 1500 ? "of the pangolin table is locked" : "is open" }
  printf "]" }' > ${home}6/tool-results/mcp-db-read-1.json
awk 'BEGIN { for (i = 0; i < 9000; i++) printf "%s", i == 4500 ? "flag=quokka;" : "x=1;" }' > ${home}6/tool-results/b8.txt
