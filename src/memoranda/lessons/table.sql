-- put_archive: store the archive memory of a task
insert into task_archive (team, task, memory, position, status, written_at)
values (:team, :task, :memory, :position, :status, :written_at)
on conflict (team, task) do update set memory = excluded.memory, position = excluded.position,
  status = excluded.status, written_at = excluded.written_at

-- archive: archive memory of one task
select team, task, memory, position, status, written_at from task_archive
where team = :team and task = :task

-- archives: archive memories of some tasks, and of their notes
select memory from task_archive where team = :team and task in :tasks[]
union
select memory from lesson
where team = :team and key like 'notes:%' and replace(key, 'notes:', '') in :tasks[]
order by memory

-- drop_archives: delete the records of some tasks, so that they are archived again
delete from task_archive where team = :team and task in :tasks[]

-- put: insert or replace a lesson
insert into lesson (team, workspace, key, memory, seen, updated_at)
values (:team, :workspace, :key, :memory, :seen, :updated_at)
on conflict (team, workspace, key) do update set memory = excluded.memory, seen = excluded.seen,
  updated_at = excluded.updated_at

-- known: one lesson
select team, workspace, key, memory, seen, updated_at from lesson
where team = :team and workspace = :workspace and key = :key

-- see: record once that a task yielded a lesson
insert into lesson_task (team, workspace, key, task) values (:team, :workspace, :key, :task)
on conflict do nothing

-- taught: lessons that a task yielded
select key from lesson_task where team = :team and task = :task

-- of_task: memories of a task's lessons, oldest first
select l.memory from lesson_task t
join lesson l on l.team = t.team and l.workspace = t.workspace and l.key = t.key
where t.team = :team and t.task = :task order by l.memory limit :limit

-- reinforce: update the confidence of a memory
update memory set confidence = :confidence, updated_at = :updated_at
where team = :team and id = :memory

-- undecided: unapproved memories derived from some observations
select distinct m.id from memory_evidence e
join memory m on m.team = e.team and m.id = e.memory
where e.team = :team and m.status <> 'approved' and e.observation in :observations[]
  and (m.source in ('learned', 'inferred', 'execution')
    or exists (select 1 from lesson l where l.team = m.team and l.memory = m.id))
order by m.id

-- drop: delete lessons by memory
delete from lesson where team = :team and memory in :memories[]
