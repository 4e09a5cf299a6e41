-- Documents: JSON that a program stores by space and key, such as the state of a graph. The
-- values are stored as contents, so that a value with several keys is stored once.
create table document (
  team text not null,
  workspace text not null, -- empty for the whole team
  space text not null,
  key text not null,
  value_hash text not null,
  size integer not null, -- bytes of the value's JSON
  version integer not null,
  created_at integer not null,
  updated_at integer not null,
  expires_at integer, -- null for never
  primary key (team, workspace, space, key)
) strict;
create index document_by_value on document (team, value_hash);
create index document_by_end on document (team, expires_at) where expires_at is not null;
