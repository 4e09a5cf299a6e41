-- The mirror: memories as files that people can read and edit, and what was written to them.

create table mirror (
  team plain not null,
  folder plain not null, -- absolute path on the machine where it was turned on
  mark plain not null, -- also stored in the folder, so that two mirrors cannot share it
  created_at bigint not null,
  synced_at bigint, -- null if it never ran
  notes plain not null, -- JSON: notes of the last runs, newest first
  primary key (team)
);

create table mirror_file (
  team plain not null,
  path plain not null, -- path relative to the folder
  kind plain not null,
  subject plain not null,
  hash plain not null, -- hash of a content that is completely in the store
  entries plain not null, -- JSON: memories in that content with the hashes of their texts
  next_hash plain not null, -- hash of the content about to be written; empty if there is none
  next_entries plain not null,
  written_at bigint not null,
  primary key (team, path),
  foreign key (team) references mirror (team) on delete cascade
);

select protect('mirror');
select protect('mirror_file');
grant select, insert, update, delete on mirror, mirror_file to memoranda_app;
