-- Analyses of memories, their relations, references and validity.

-- Derived from the content; recreated by rebuild-index.
create table memory_encoding (
  team text not null,
  memory text not null,
  content_hash text not null, -- hash of the analysed content
  version integer not null, -- version of the analysis
  type text, -- main function of the content: report, decide, promise, prefer or judge
  summary text not null,
  entities text not null, -- JSON, like the following columns
  facts text not null,
  keywords text not null,
  constraints text not null,
  outcomes text not null,
  compared text not null, -- '', 'words' or the model whose vectors were used to compare it with others
  primary key (team, memory),
  foreign key (team, memory) references memory (team, id) on delete cascade
) strict;
create index memory_encoding_by_compared on memory_encoding (team, compared);

create table memory_link (
  team text not null,
  memory text not null,
  kind text not null,
  other text not null,
  reason text not null,
  actor text not null, -- creator of the link
  created_at integer not null,
  primary key (team, memory, kind, other),
  foreign key (team, memory) references memory (team, id) on delete cascade,
  foreign key (team, other) references memory (team, id) on delete cascade
) strict, without rowid;
create index memory_link_by_other on memory_link (team, other);
create index memory_link_by_kind on memory_link (team, kind, memory, other);

create table memory_reference (
  team text not null,
  memory text not null,
  kind text not null,
  value text not null,
  primary key (team, memory, kind, value),
  foreign key (team, memory) references memory (team, id) on delete cascade
) strict, without rowid;
create index memory_reference_by_value on memory_reference (team, kind, value);

create index memory_by_beginning on memory (team, valid_from) where valid_from is not null;
create index memory_by_end on memory (team, valid_until) where valid_until is not null;
