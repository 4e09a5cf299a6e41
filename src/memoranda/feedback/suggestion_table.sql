-- put: insert a suggestion
insert into suggestion (team, id, workspace, rule, created_at)
values (:team, :id, :workspace, null, :created_at)

-- answer: insert an answer to a suggestion, once per feedback item
insert into suggestion_answer (team, suggestion, feedback, accepted, model, vector, answered_at)
values (:team, :suggestion, :feedback, :accepted, :model, :vector, :answered_at)
on conflict do nothing

-- answers: answers with their suggestions, newest first
select a.suggestion, a.feedback, a.accepted, f.about, f.text, a.model, a.vector
from suggestion_answer a
join suggestion s on s.team = a.team and s.id = a.suggestion
join feedback f on f.team = a.team and f.id = a.feedback
where a.team = :team and coalesce(s.workspace, '') = coalesce(:workspace, '')
order by a.answered_at desc, a.feedback desc limit :limit

-- of_suggestion: answers to a suggestion, newest first
select a.suggestion, a.feedback, a.accepted, f.about, f.text, a.model, a.vector
from suggestion_answer a
join feedback f on f.team = a.team and f.id = a.feedback
where a.team = :team and a.suggestion = :suggestion
order by a.answered_at desc, a.feedback desc limit :limit

-- rule: memory with the rule against a suggestion
select rule from suggestion where team = :team and id = :suggestion

-- set_rule: set the memory with the rule against a suggestion
update suggestion set rule = :rule where team = :team and id = :suggestion

-- retract: delete the answers of a feedback item
delete from suggestion_answer where team = :team and feedback = :feedback

-- drop_unanswered: delete suggestions without answers
delete from suggestion where team = :team and not exists (
  select 1 from suggestion_answer a where a.team = suggestion.team and a.suggestion = suggestion.id
)

-- listed: suggestions, newest first
select s.id, s.rule,
  (select f.about from suggestion_answer a join feedback f on f.team = a.team and f.id = a.feedback
   where a.team = s.team and a.suggestion = s.id order by a.answered_at, a.feedback limit 1),
  (select count(*) from suggestion_answer a
   where a.team = s.team and a.suggestion = s.id and a.accepted = 0 and not exists (
     select 1 from suggestion_answer b where b.team = a.team and b.suggestion = a.suggestion
       and b.accepted = 1 and (b.answered_at, b.feedback) > (a.answered_at, a.feedback))),
  (select count(*) from suggestion_answer a
   where a.team = s.team and a.suggestion = s.id and a.accepted = 1),
  (select max(a.answered_at) from suggestion_answer a
   where a.team = s.team and a.suggestion = s.id)
from suggestion s
where s.team = :team and s.id < :before_id
  and (:workspace is null or s.workspace is null or s.workspace = :workspace)
order by s.id desc limit :limit
