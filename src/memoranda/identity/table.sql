-- put: a new key, token or session, unless one has its id
insert into credential (team, id, kind, digest, subject, role, agent, workspace, created_by,
  created_at, expires_at, parent)
values (:team, :id, :kind, :digest, :subject, :role, :agent, :workspace, :created_by,
  :created_at, :expires_at, :parent)
on conflict (team, id) do nothing

-- by_id: one, with the keyed hash of its text
select team, id, kind, subject, role, agent, workspace, created_by, created_at, expires_at,
  revoked_at, revoked_by, last_used, parent, digest
from credential where team = :team and id = :id

-- by_prefix: ids that start so
select id from credential where team = :team and id >= :low and id < :high order by id limit 6

-- listed: newest first, those before an id; those that hold at a time, or all
select team, id, kind, subject, role, agent, workspace, created_by, created_at, expires_at,
  revoked_at, revoked_by, last_used, parent
from credential
where team = :team and id < :before
  and (:now is null or (revoked_at is null and (expires_at is null or expires_at > :now)))
order by id desc limit :limit

-- holding: how many of some kinds hold at a time
select count(*) from credential
where team = :team and kind in :kinds[] and revoked_at is null and (expires_at is null or expires_at > :now)

-- revoke: for good; who did so first stays
update credential set revoked_at = :at, revoked_by = :actor
where team = :team and id = :id and revoked_at is null

-- use: the last day of use, which never goes back
update credential set last_used = :day
where team = :team and id = :id and (last_used is null or last_used < :day)

-- drop_over: tokens and sessions that were over before a time
delete from credential where team = :team and kind in ('token', 'session') and expires_at < :before

-- deny: a token of another issuer, until it would be over
insert into token_revocation (team, id, expires_at, revoked_at, revoked_by)
values (:team, :id, :expires_at, :revoked_at, :revoked_by)
on conflict (team, id) do nothing

-- denied: whether a token of another issuer was revoked
select 1 from token_revocation where team = :team and id = :id

-- drop_denied: revocations of tokens that are over anyway
delete from token_revocation where team = :team and expires_at < :before
