-- What search knows of a record beside its full text; all of it can be made again from the record.
create table entry (
  team text not null,
  source text not null, -- the observation or memory
  kind text not null,
  workspace text,
  task text,
  position integer not null, -- within the task
  place text not null, -- task and position, in an order of their own; without a task the source
  at integer not null,
  standing integer not null, -- 1: an instruction that holds from now on, 2: a preference
  version integer not null, -- of the analysis
  features blob not null,
  primary key (team, source)
) strict; -- with rowids: what follows in a task lies side by side
create index entry_by_place on entry (team, place);
create index entry_standing on entry (team, standing, source) where standing > 0;

-- The parts of a record that have a vector each.
create table passage (
  docid integer primary key,
  team text not null,
  source text not null,
  place integer not null,
  workspace text,
  task text,
  text_hash text not null,
  model text not null, -- what made the vector; empty as long as there is none
  vector blob, -- float16
  block integer, -- the sealed block that holds its signs; none: the tail
  foreign key (team, source) references entry (team, source) on delete cascade
) strict;
create unique index passage_by_source on passage (team, source, place);
create index passage_by_text on passage (team, model, text_hash);
create index passage_tail on passage (team, model, workspace)
  where block is null and vector is not null;

-- Signs of vectors, packed: what a search scans before it looks at the vectors themselves.
create table vector_block (
  id integer primary key autoincrement, -- never given twice: caches go by it
  team text not null,
  model text not null,
  workspace text not null, -- empty: none
  size integer not null,
  docids blob not null, -- int64
  codes blob not null, -- 64 signs a word, word by word
  checksum integer not null
) strict;
-- Has all that names a block: beside it lie the signs, of which a name needs none.
create index vector_block_by_scope on vector_block (team, model, workspace, checksum);

-- What is subtracted from the vectors of a model before their signs are taken.
create table vector_centre (
  team text not null,
  model text not null,
  mean blob not null, -- float32
  primary key (team, model)
) strict, without rowid;

-- Exact filters of a search.
create index observation_by_type on observation (team, workspace, type, id);

-- What a task's observations hold together, so that a context need not add it up.
alter table task add column tokens integer not null default 0;
update task set tokens = (
  select coalesce(sum(o.tokens), 0) from observation o
  where o.team = task.team and o.task = task.id);

-- Opinions on what was found.
create table rating (
  team text not null,
  source text not null,
  useful integer not null,
  useless integer not null,
  rated_at integer not null,
  primary key (team, source)
) strict, without rowid;

-- Who speaks where several people do.
create table speaker (
  team text not null,
  workspace text not null,
  name text not null,
  primary key (team, workspace, name)
) strict, without rowid;

-- In how many records each word stands.
create virtual table observation_vocabulary using fts5vocab(observation_words, row);
create virtual table memory_vocabulary using fts5vocab(memory_words, row);
