-- Search data of a record besides its full-text entry; all of it can be recreated from the record.
create table entry (
  team text not null,
  source text not null, -- id of the observation or memory
  kind text not null,
  workspace text,
  task text,
  position integer not null, -- position within the task
  place text not null, -- sort key of task and position; without a task, the source
  at integer not null,
  standing integer not null, -- 1: a standing instruction, 2: a preference
  version integer not null, -- version of the analysis
  features blob not null,
  primary key (team, source)
) strict; -- with rowids, so that consecutive entries of a task are adjacent
create index entry_by_place on entry (team, place);
create index entry_standing on entry (team, standing, source) where standing > 0;

-- The passages of a record, each with a vector.
create table passage (
  docid integer primary key,
  team text not null,
  source text not null,
  place integer not null,
  workspace text,
  task text,
  text_hash text not null,
  model text not null, -- model that computed the vector; empty if there is no vector
  vector blob, -- float16
  block integer, -- sealed block with its sign bits; null for the unsealed tail
  foreign key (team, source) references entry (team, source) on delete cascade
) strict;
create unique index passage_by_source on passage (team, source, place);
create index passage_by_text on passage (team, model, text_hash);
create index passage_tail on passage (team, model, workspace)
  where block is null and vector is not null;

-- Sign bits of vectors, packed, which a search scans before the vectors themselves.
create table vector_block (
  id integer primary key autoincrement, -- never reused, since caches depend on it
  team text not null,
  model text not null,
  workspace text not null, -- empty for none
  size integer not null,
  docids blob not null, -- int64
  codes blob not null, -- 64 sign bits per word, word by word
  checksum integer not null
) strict;
-- Covers all columns that name a block, so that the sign bits need not be read.
create index vector_block_by_scope on vector_block (team, model, workspace, checksum);

-- Vector that is subtracted from a model's vectors before taking the sign bits.
create table vector_centre (
  team text not null,
  model text not null,
  mean blob not null, -- float32
  primary key (team, model)
) strict, without rowid;

-- Exact filters of a search.
create index observation_by_type on observation (team, workspace, type, id);

-- Totals of a task's observations, so that a context does not have to compute them.
alter table task add column tokens integer not null default 0;
update task set tokens = (
  select coalesce(sum(o.tokens), 0) from observation o
  where o.team = task.team and o.task = task.id);

-- Ratings of search hits.
create table rating (
  team text not null,
  source text not null,
  useful integer not null,
  useless integer not null,
  rated_at integer not null,
  primary key (team, source)
) strict, without rowid;

-- Speakers in conversations between several people.
create table speaker (
  team text not null,
  workspace text not null,
  name text not null,
  primary key (team, workspace, name)
) strict, without rowid;

-- Number of records that contain each word.
create virtual table observation_vocabulary using fts5vocab(observation_words, row);
create virtual table memory_vocabulary using fts5vocab(memory_words, row);
