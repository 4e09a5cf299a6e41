"""Store memories in several scripts; print the best hit of each question."""

from memoranda import Memoranda

# fmt: off
TEXTS = (
    "部署服务器的端口是 8443，不要修改防火墙规则",
    "เซิร์ฟเวอร์อยู่ที่กรุงเทพ",
    "Заказы хранятся в таблице orders_v2",
    "The cart total is computed in cents",
)
QUESTIONS = ("заказ", "端口是什么", "погода в Москве", "天気はどうですか")
# fmt: on

with Memoranda.open(workspace="texts") as memory:
    for text in TEXTS:
        memory.remember(text)
    for question in QUESTIONS:
        hits = memory.search(question).hits
        print(f"{question}: {hits[0].title if hits else 'nothing'}")
