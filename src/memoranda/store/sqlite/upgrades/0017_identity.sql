-- Keys and tokens that identify callers to a server.

create table credential (
  team text not null,
  id text not null,
  kind text not null, -- key or token
  digest text not null, -- keyed hash of a key; empty for a token, which is signed
  subject text not null,
  role text not null,
  agent text,
  workspace text, -- name of the workspace
  created_by text not null,
  created_at integer not null,
  expires_at integer, -- null for never
  revoked_at integer,
  revoked_by text,
  last_used integer, -- start of a day
  primary key (team, id)
) strict;

-- Tokens of another issuer that are rejected, until they would expire.
create table token_revocation (
  team text not null,
  id text not null,
  expires_at integer not null,
  revoked_at integer not null,
  revoked_by text not null,
  primary key (team, id)
) strict;
