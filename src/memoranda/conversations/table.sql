-- insert: one compaction; that of the same message by somebody else stays
insert into compaction (team, task, agent, until_sequence, summary_hash, tokens, source_tokens, mode,
  created_at)
values (:team, :task, :agent, :until_sequence, :summary_hash, :tokens, :source_tokens, :mode,
  :created_at)
on conflict (team, task, agent, until_sequence) do nothing

-- list: newest first, those that end before a message
select k.task, k.agent, k.until_sequence, k.tokens, k.source_tokens, k.mode, k.created_at,
  k.summary_hash, b.codec, b.data
from compaction k join blob b on b.team = k.team and b.hash = k.summary_hash
where k.team = :team and k.task = :task and k.agent = :agent and k.until_sequence < :before
order by k.until_sequence desc limit :limit

-- extent: how many messages lie between two, and their tokens
select count(*), coalesce(sum(tokens), 0) from observation
where team = :team and task = :task and type = 'message' and branch <> 'rewound'
  and (:agent = '' or agent = :agent) and sequence > :after and sequence < :before

-- outdated: those of tasks of which a message is gone
select summary_hash, task, agent, until_sequence from compaction
where team = :team and task in :tasks[] and source_tokens <> (
  select coalesce(sum(o.tokens), 0) from observation o
  where o.team = compaction.team and o.task = compaction.task and o.type = 'message'
    and o.branch <> 'rewound' and (compaction.agent = '' or o.agent = compaction.agent)
    and o.sequence <= compaction.until_sequence)

-- delete: one compaction
delete from compaction
where team = :team and task = :task and agent = :agent and until_sequence = :until_sequence
