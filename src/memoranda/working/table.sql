-- put: store an entry, replacing that with the same key
insert into working (team, task, key, value, written_at, expires_at)
values (:team, :task, :key, :value, :written_at, :expires_at)
on conflict (team, task, key) do update set value = excluded.value,
  written_at = excluded.written_at, expires_at = excluded.expires_at

-- get: one entry that has not expired at a time
select team, task, key, value, written_at, expires_at from working
where team = :team and task = :task and key = :key and expires_at > :alive_at

-- list: entries without values, by key
select key, written_at, expires_at from working
where team = :team and task = :task and key > :after and expires_at > :alive_at
order by key limit :limit

-- delete: one entry, unless it was written after a time
delete from working
where team = :team and task = :task and key = :key and written_at <= :written_until

-- clear: delete everything about some tasks
delete from working where team = :team and task in :tasks[]

-- sweep: delete entries that expired before a time
delete from working where team = :team and expires_at <= :until
