-- The mirror: memories as files that people read and edit, and what was written into them.

create table mirror (
  team plain not null,
  folder plain not null, -- an absolute path on the machine where it was turned on
  mark plain not null, -- stands in the folder as well, so that no two mirrors share one
  created_at bigint not null,
  synced_at bigint, -- null: never yet
  notes plain not null, -- JSON: what was noticed in the last runs, newest first
  primary key (team)
);

create table mirror_file (
  team plain not null,
  path plain not null, -- below the folder
  kind plain not null,
  subject plain not null,
  hash plain not null, -- of a content that is wholly in the store
  entries plain not null, -- JSON: memories in that content, each with the hash of its text
  next_hash plain not null, -- of what is about to be put there; empty: nothing is
  next_entries plain not null,
  written_at bigint not null,
  primary key (team, path),
  foreign key (team) references mirror (team) on delete cascade
);

select protect('mirror');
select protect('mirror_file');
grant select, insert, update, delete on mirror, mirror_file to memoranda_app;
