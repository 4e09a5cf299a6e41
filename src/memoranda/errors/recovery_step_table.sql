-- between: steps with an effect between an error and its resolution, newest first
select f.id, o.id
from observation f
join observation e on e.team = f.team and e.id = f.resolves and e.task = f.task
join observation o on o.team = f.team and o.task = f.task and o.sequence > e.sequence
  and o.sequence < f.sequence and o.sequence >= f.sequence - :within
where f.team = :team and f.id in :ids[]
  and o.tool is not null and o.type <> 'error' and o.branch <> 'rewound'
  and o.salience not in ('low', 'quarantined')
  and (exists (
      select 1 from observation_ref r
      where r.team = o.team and r.kind = 'tag' and r.value = 'edit' and r.observation = o.id)
    or not exists (
      select 1 from observation_ref r
      where r.team = o.team and r.kind = 'tag' and r.value in :looking[] and r.observation = o.id))
order by f.id desc, o.sequence desc limit :limit
