-- of: the mirror of a team
select team, folder, mark, created_at, synced_at, notes from mirror where team = :team

-- put: store the location of the mirror
insert into mirror (team, folder, mark, created_at, synced_at, notes)
values (:team, :folder, :mark, :created_at, :synced_at, :notes)
on conflict (team) do update set folder = excluded.folder, mark = excluded.mark,
  synced_at = excluded.synced_at, notes = excluded.notes

-- drop: delete the mirror with all file records
delete from mirror where team = :team

-- files: file records in order, after a path
select team, path, kind, subject, hash, entries, written_at, next_hash, next_entries
from mirror_file where team = :team and path > :after order by path limit :limit

-- put_file: store a file record, replacing that with the same path
insert into mirror_file (team, path, kind, subject, hash, entries, next_hash, next_entries,
  written_at)
values (:team, :path, :kind, :subject, :hash, :entries, :next_hash, :next_entries, :written_at)
on conflict (team, path) do update set kind = excluded.kind, subject = excluded.subject,
  hash = excluded.hash, entries = excluded.entries, next_hash = excluded.next_hash,
  next_entries = excluded.next_entries, written_at = excluded.written_at

-- drop_files: delete file records by path
delete from mirror_file where team = :team and path in :paths[]

-- touch: enqueue an update of the files if there is a mirror and no waiting job
insert into job (team, id, kind, subject, state, attempts, run_at, created_at)
select :team, :id, :kind, '', 'pending', 0, :now, :now
where exists (select 1 from mirror where team = :team) and not exists (
  select 1 from job
  where team = :team and kind = :kind and subject = '' and state = 'pending')

-- versions: number of changes by memory
select memory, max(version) from memory_version where team = :team and memory in :ids[]
group by memory

-- learned: approved, non-private memories based on a task's observations
select distinct e.memory from memory_evidence e
join observation o on o.team = e.team and o.id = e.observation
join memory m on m.team = e.team and m.id = e.memory
where e.team = :team and o.task = :task and m.visibility <> 'agent' and m.status = 'approved'
order by e.memory limit :limit
