-- head: the newest entry of a team
select sequence, hash from journal_head where team = :team

-- set_head: point to the newest entry
insert into journal_head (team, sequence, hash) values (:team, :sequence, :hash)
on conflict (team) do update set sequence = excluded.sequence, hash = excluded.hash

-- insert: one entry
insert into journal (team, sequence, at, actor, operation, subject, detail, previous, hash)
values (:team, :sequence, :at, :actor, :operation, :subject, :detail, :previous, :hash)

-- list: newest first
select team, sequence, at, actor, operation, subject, detail, previous, hash from journal
where team = :team and sequence < :before
  and (:operation is null or operation = :operation)
  and (:subject is null or subject = :subject)
order by sequence desc limit :limit

-- chain: oldest first, for verification
select team, sequence, at, actor, operation, subject, detail, previous, hash from journal
where team = :team and sequence > :after order by sequence limit :limit
