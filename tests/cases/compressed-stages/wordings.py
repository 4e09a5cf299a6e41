"""Plant sentences without cue words in other languages and places."""

import json

from memoranda import Memoranda

NOISE = """[{n}] step {n} of the import: {n} rows read, {n} rows written
[{n}] step {n} of the export: {n} rows read, {n} rows written
def settle_{n}(batch):
    return [one for one in batch if one.open and one.total > {n}]
"""
TRACE = """Traceback (most recent call last):
  File "/srv/app/jobs/runner.py", line 88, in run
    self.step(batch)
  File "/srv/app/lib/io.py", line 41, in step
    check(row, self.schema)
RuntimeError: {}"""
TABLE = """name                    value           note
retry delay             4 s             default
{}
log level               info            default"""
PERSON = (
    "I don't want Varnish anywhere near the tariff queue.",
    "Die Tariff-Queue darf auf keinen Fall direkt nach blue-17.example.net schreiben.",
    "Los importes de la cola van siempre en c\u00e9ntimos.",
    "| tariff queue | daily quota | 4711 | agreed with finance |",
)
AGENT = (
    "The team voted for Protobuf over Podman in the geocoder worker.",
    "Konfiguriert wird der Geocoder in fleet/geocoder/v302.cfg.",
    "El geocoder escucha en el puerto 2979.",
    "In the end Celery lost out to Nomad, its client leaks sockets.",
)
TOOL = (
    "/* The relay job no longer talks to Pulsar, it reads straight from spool/v127.cfg. */",
    TRACE.format("relay job accepts writes from quartz-51.example.net only"),
    TABLE.format("relay job               max batch 7148  the bank refuses more"),
    "-- Nunca escribas en harbor/v853.cfg, lo usa contabilidad.",
)
KEYS = (
    *(("varnish", "tariff"), ("blue-17.example.net",), ("c\u00e9ntimos",), ("4711", "tariff")),
    *(("protobuf", "podman"), ("v302.cfg", "geocoder"), ("2979", "geocoder"), ("celery", "nomad")),
    *(("pulsar", "v127.cfg"), ("relay", "quartz-51"), ("relay", "7148"), ("nunca", "v853.cfg")),
)
with Memoranda.open(workspace="shop") as memory:
    for number, (person, agent, tool) in enumerate(zip(PERSON, AGENT, TOOL, strict=True)):
        code = "".join(NOISE.format(n=number * 100 + part) for part in range(12))
        memory.conversations.add(
            f"Go on with part {number}.\n\n{person}", role="user", session="one"
        )
        memory.conversations.add(
            f"Let me look at it. {agent} I'll go on.", role="assistant", session="one"
        )
        memory.observe(f"{code}{tool}\n{code}", task="one", tool="Read", type="tool_call")
    memory.capture.drain()
    task = memory.tasks.list().items[0].id
    memory.stages.complete(task)
    made = [memory.stages.compress(task, one.number, ratio=10) for one in memory.stages.list(task)]
lines = [" ".join(line.lower().split()) for one in made for line in one.text.split("\n")]
lost = [keys for keys in KEYS if not any(all(key in line for key in keys) for line in lines)]
print(
    json.dumps(
        {
            "lost": lost,
            "longer": sum(one.tokens > one.source_tokens for one in made),
            "ratio": round(sum(o.source_tokens for o in made) / sum(o.tokens for o in made), 1),
            "unexplained": sum(
                one.tokens > 1.05 * one.source_tokens / one.target and not one.beyond
                for one in made
            ),
        }
    )
)
