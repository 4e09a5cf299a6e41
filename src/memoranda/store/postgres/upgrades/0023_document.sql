-- Documents: JSON that a program keeps under a space and a key, such as the state of a graph. The
-- values lie with the contents, so that one which stands under many keys is there once.
create table document (
  team plain not null,
  workspace plain not null, -- empty: the team's
  space plain not null,
  key plain not null,
  value_hash plain not null,
  size bigint not null, -- bytes of the value's JSON
  version bigint not null,
  created_at bigint not null,
  updated_at bigint not null,
  expires_at bigint, -- null: never
  primary key (team, workspace, space, key)
);
create index document_by_value on document (team, value_hash);
create index document_by_end on document (team, expires_at) where expires_at is not null;

select protect('document');
grant select, insert, update, delete on document to memoranda_app;
