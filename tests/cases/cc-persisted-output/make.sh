# The files that Claude Code would have written, and what must not be read in their place.
home=projects/shop/bbbbbbbb-0000-4000-8000-00000000000
for n in 1 3 4 5; do mkdir -p ${home}$n/tool-results; done
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
