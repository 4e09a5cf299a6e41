-- The mirror: memories as files that people can read and edit, and what was written to them.

create table mirror (
  team text not null,
  folder text not null, -- absolute path on the machine where it was turned on
  mark text not null, -- also stored in the folder, so that two mirrors cannot share it
  created_at integer not null,
  synced_at integer, -- null if it never ran
  notes text not null, -- JSON: notes of the last runs, newest first
  primary key (team)
) strict;

create table mirror_file (
  team text not null,
  path text not null, -- path relative to the folder
  kind text not null,
  subject text not null,
  hash text not null, -- hash of a content that is completely in the store
  entries text not null, -- JSON: memories in that content with the hashes of their texts
  next_hash text not null, -- hash of the content about to be written; empty if there is none
  next_entries text not null,
  written_at integer not null,
  primary key (team, path),
  foreign key (team) references mirror (team) on delete cascade
) strict;
