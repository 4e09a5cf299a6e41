-- put: insert a key, token or session, unless the id exists
insert into credential (team, id, kind, digest, subject, role, agent, workspace, created_by,
  created_at, expires_at, parent)
values (:team, :id, :kind, :digest, :subject, :role, :agent, :workspace, :created_by,
  :created_at, :expires_at, :parent)
on conflict (team, id) do nothing

-- by_id: one credential with its keyed hash
select team, id, kind, subject, role, agent, workspace, created_by, created_at, expires_at,
  revoked_at, revoked_by, last_used, parent, digest
from credential where team = :team and id = :id

-- by_prefix: ids with a prefix
select id from credential where team = :team and id >= :low and id < :high order by id limit 6

-- listed: credentials before an id, newest first; all, or those valid at a time
select team, id, kind, subject, role, agent, workspace, created_by, created_at, expires_at,
  revoked_at, revoked_by, last_used, parent
from credential
where team = :team and id < :before
  and (:now is null or (revoked_at is null and (expires_at is null or expires_at > :now)))
order by id desc limit :limit

-- holding: number of credentials of some kinds that are valid at a time
select count(*) from credential
where team = :team and kind in :kinds[] and revoked_at is null and (expires_at is null or expires_at > :now)

-- revoke: revoke permanently; keep the first revocation
update credential set revoked_at = :at, revoked_by = :actor
where team = :team and id = :id and revoked_at is null

-- use: update the last day of use, never to an earlier one
update credential set last_used = :day
where team = :team and id = :id and (last_used is null or last_used < :day)

-- drop_over: delete tokens and sessions that expired before a time
delete from credential where team = :team and kind in ('token', 'session') and expires_at < :before

-- deny: reject another issuer's token until it expires
insert into token_revocation (team, id, expires_at, revoked_at, revoked_by)
values (:team, :id, :expires_at, :revoked_at, :revoked_by)
on conflict (team, id) do nothing

-- denied: whether another issuer's token was revoked
select 1 from token_revocation where team = :team and id = :id

-- drop_denied: delete revocations of expired tokens
delete from token_revocation where team = :team and expires_at < :before
