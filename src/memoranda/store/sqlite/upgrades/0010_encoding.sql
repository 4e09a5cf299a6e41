-- What memories hold, taken apart; how they relate; what they refer to; since when they hold.

-- Derived from the content: made anew by rebuild-index.
create table memory_encoding (
  team text not null,
  memory text not null,
  content_hash text not null, -- of the content that it was made of
  version integer not null, -- of the analysis
  type text, -- what the content does first of all: tells, settles, promises, likes or judges
  summary text not null,
  entities text not null, -- JSON, as are the following
  facts text not null,
  keywords text not null,
  constraints text not null,
  outcomes text not null,
  compared text not null, -- '', 'words' or the model by whose vectors it was compared with others
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
  actor text not null, -- who made it
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
