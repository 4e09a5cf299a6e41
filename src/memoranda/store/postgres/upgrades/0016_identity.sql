-- Keys and tokens that identify callers to a server.

create table credential (
  team plain not null,
  id plain not null,
  kind plain not null, -- key or token
  digest plain not null, -- keyed hash of a key; empty for a token, which is signed
  subject plain not null,
  role plain not null,
  agent plain,
  workspace plain, -- name of the workspace
  created_by plain not null,
  created_at bigint not null,
  expires_at bigint, -- null for never
  revoked_at bigint,
  revoked_by plain,
  last_used bigint, -- start of a day
  primary key (team, id)
);

-- Tokens of another issuer that are rejected, until they would expire.
create table token_revocation (
  team plain not null,
  id plain not null,
  expires_at bigint not null,
  revoked_at bigint not null,
  revoked_by plain not null,
  primary key (team, id)
);

select protect('credential');
select protect('token_revocation');
grant select, insert, update, delete on credential, token_revocation to memoranda_app;
