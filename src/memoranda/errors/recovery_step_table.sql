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
where o.tool is not null and o.type <> 'error' and o.branch <> 'rewound'
  and o.salience not in ('low', 'quarantined')
  and (exists (
      select 1 from observation_ref r
      where r.team = o.team and r.kind = 'tag' and r.value = 'edit' and r.observation = o.id)
    or not exists (
      select 1 from observation_ref r
      where r.team = o.team and r.kind = 'tag' and r.value in :looking[] and r.observation = o.id))
order by s.fix desc, s.own desc, s.sequence desc limit :limit
