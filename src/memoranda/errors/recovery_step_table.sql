-- between: steps with an effect between an error and its resolution, newest first: those of the resolution's task, then those after an error of an earlier task
select s.fix, s.step from (
  select f.id as fix, o.id as step, o.team as team, 1 as own, o.sequence as sequence
  from observation f
  join observation e on e.team = f.team and e.id = f.resolves
  join observation o on o.team = f.team and o.task = f.task
    and o.sequence > case when e.task = f.task then e.sequence else 0 end
    and o.sequence < f.sequence and o.sequence >= f.sequence - :within
  where f.team = :team and f.id in :ids[]
  union all
  select f.id, o.id, o.team, 0, o.sequence
  from observation f
  join observation e on e.team = f.team and e.id = f.resolves and e.task <> f.task
  join observation o on o.team = f.team and o.task = e.task and o.sequence > e.sequence
    and o.sequence <= e.sequence + :within
  where f.team = :team and f.id in :ids[]
) s join observation o on o.team = s.team and o.id = s.step

-- effective: steps with an effect
where o.tool is not null and o.type <> 'error' and o.branch <> 'rewound'
  and o.salience not in ('low', 'quarantined')
  and (exists (
      select 1 from observation_ref r
      where r.team = o.team and r.kind = 'tag' and r.value = 'edit' and r.observation = o.id)
    or not exists (
      select 1 from observation_ref r
      where r.team = o.team and r.kind = 'tag' and r.value in :looking[] and r.observation = o.id))

-- newest_first: for each fix, those of its own task first
order by s.fix desc, s.own desc, s.sequence desc limit :limit

-- next_failures: first later failure of the same action in the task of some errors
select e.id, n.id from observation e
join observation n on n.team = e.team and n.task = e.task and n.type = 'error'
  and n.sequence = (
    select min(l.sequence) from observation l
    where l.team = e.team and l.task = e.task and l.type = 'error' and l.sequence > e.sequence
      and l.target = e.target)
where e.team = :team and e.id in :ids[] and e.type = 'error'

-- before_failures: steps between a failure and the previous failure of the same action
select s.fix, s.step from (
  select n.id as fix, o.id as step, o.team as team, 1 as own, o.sequence as sequence
  from observation n
  join observation o on o.team = n.team and o.task = n.task and o.sequence < n.sequence
    and o.sequence >= n.sequence - :within and o.sequence > (
      select max(p.sequence) from observation p
      where p.team = n.team and p.task = n.task and p.type = 'error' and p.sequence < n.sequence
        and p.target = n.target)
  where n.team = :team and n.id in :ids[]
) s join observation o on o.team = s.team and o.id = s.step
