-- Documents: JSON that a program stores by space and key, such as the state of a graph. The
-- values are stored as contents, so that a value with several keys is stored once.
create table document (
  team plain not null,
  workspace plain not null, -- empty for the whole team
  space plain not null,
  key plain not null,
  value_hash plain not null,
  size bigint not null, -- bytes of the value's JSON
  version bigint not null,
  created_at bigint not null,
  updated_at bigint not null,
  expires_at bigint, -- null for never
  primary key (team, workspace, space, key)
);
create index document_by_value on document (team, value_hash);
create index document_by_end on document (team, expires_at) where expires_at is not null;

select protect('document');
grant select, insert, update, delete on document to memoranda_app;
