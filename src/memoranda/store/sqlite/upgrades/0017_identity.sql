-- Keys and tokens by which somebody is known to a server.

create table credential (
  team text not null,
  id text not null,
  kind text not null, -- key or token
  digest text not null, -- keyed hash of the text of a key; empty for a token, which is signed
  subject text not null,
  role text not null,
  agent text,
  workspace text, -- a name
  created_by text not null,
  created_at integer not null,
  expires_at integer, -- null: never
  revoked_at integer,
  revoked_by text,
  last_used integer, -- the beginning of a day
  primary key (team, id)
) strict;

-- Tokens of another issuer that are taken no more, until they would be over.
create table token_revocation (
  team text not null,
  id text not null,
  expires_at integer not null,
  revoked_at integer not null,
  revoked_by text not null,
  primary key (team, id)
) strict;
