-- insert: insert a compaction; keep an existing one for the same message
insert into compaction (team, task, agent, until_sequence, summary_hash, tokens, source_tokens, mode,
  created_at)
values (:team, :task, :agent, :until_sequence, :summary_hash, :tokens, :source_tokens, :mode,
  :created_at)
on conflict (team, task, agent, until_sequence) do nothing

-- list: compactions that end before a message, newest first
select k.task, k.agent, k.until_sequence, k.tokens, k.source_tokens, k.mode, k.created_at,
  k.summary_hash, b.codec, b.data
from compaction k join blob b on b.team = k.team and b.hash = k.summary_hash
where k.team = :team and k.task = :task and k.agent = :agent and k.until_sequence < :before
order by k.until_sequence desc limit :limit

-- extent: number and tokens of the messages between two positions
select count(*), coalesce(sum(tokens), 0) from observation
where team = :team and task = :task and type = 'message' and branch <> 'rewound'
  and (:agent = '' or agent = :agent) and sequence > :after and sequence < :before

-- outdated: compactions of tasks with a deleted message
select summary_hash, task, agent, until_sequence from compaction
where team = :team and task in :tasks[] and source_tokens <> (
  select coalesce(sum(o.tokens), 0) from observation o
  where o.team = compaction.team and o.task = compaction.task and o.type = 'message'
    and o.branch <> 'rewound' and (compaction.agent = '' or o.agent = compaction.agent)
    and o.sequence <= compaction.until_sequence)

-- delete: delete one compaction
delete from compaction
where team = :team and task = :task and agent = :agent and until_sequence = :until_sequence
