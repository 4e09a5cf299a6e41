-- The mirror: memories as files that people read and edit, and what was written into them.

create table mirror (
  team text not null,
  folder text not null, -- an absolute path on the machine where it was turned on
  mark text not null, -- stands in the folder as well, so that no two mirrors share one
  created_at integer not null,
  synced_at integer, -- null: never yet
  notes text not null, -- JSON: what was noticed in the last runs, newest first
  primary key (team)
) strict;

create table mirror_file (
  team text not null,
  path text not null, -- below the folder
  kind text not null,
  subject text not null,
  hash text not null, -- of a content that is wholly in the store
  entries text not null, -- JSON: memories in that content, each with the hash of its text
  next_hash text not null, -- of what is about to be put there; empty: nothing is
  next_entries text not null,
  written_at integer not null,
  primary key (team, path),
  foreign key (team) references mirror (team) on delete cascade
) strict;
