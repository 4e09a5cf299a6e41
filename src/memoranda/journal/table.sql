-- head: the newest entry of a team
select sequence, hash from journal_head where team = :team

-- set_head: point to the newest entry
insert into journal_head (team, sequence, hash) values (:team, :sequence, :hash)
on conflict (team) do update set sequence = excluded.sequence, hash = excluded.hash

-- insert: one entry
insert into journal (team, sequence, at, actor, operation, subject, detail, previous, hash)
values (:team, :sequence, :at, :actor, :operation, :subject, :detail, :previous, :hash)

-- list: entries, newest first
select team, sequence, at, actor, operation, subject, detail, previous, hash from journal
where team = :team and sequence < :before
  and (:operation is null or operation = :operation)
  and (:subject is null or subject = :subject)
order by sequence desc limit :limit

-- list_about: entries about a subject, newest first, from a covering index
select team, sequence, at, actor, operation, subject, detail, previous, hash from journal
where team = :team and sequence in (
  select sequence from journal
  where team = :team and subject = :subject and sequence < :before
    and (:operation is null or operation = :operation)
  order by sequence desc limit :limit)
order by sequence desc

-- list_of: entries of a rarer operation, from a covering index
select team, sequence, at, actor, operation, subject, detail, previous, hash from journal
where team = :team and sequence in (
  select sequence from journal
  where team = :team and operation = :operation and operation <> 'observe' and sequence < :before
  order by sequence desc limit :limit)
order by sequence desc

-- list_matching: entries of a filter, newest first
select team, sequence, at, actor, operation, subject, detail, previous, hash from journal
where team = :team and sequence < :before
  and (:named = 0 or operation in :operations[]
    or (operation = 'memory change' and detail like :act))
  and (:subject is null or subject = :subject)
  and (:actor is null or actor = :actor)
  and (:since is null or at >= :since)
  and (:until is null or at < :until)
order by sequence desc limit :limit

-- chain: entries for verification, oldest first
select team, sequence, at, actor, operation, subject, detail, previous, hash from journal
where team = :team and sequence > :after order by sequence limit :limit
