"""Store a text of each script; search its words, composed and decomposed."""

from unicodedata import normalize

from memoranda import Memoranda

# fmt: off
TEXTS = {
    "Файл конфигурации лежит в каталоге, ёлка и йогурт, Чайковский":
        "ёлка йогурт Чайковский каталоге ЙОГУРТ елка каталог ёлки",
    "Їжак їсть яблуко, ґанок":
        "Їжак ґанок їсть",
    "Ο άνθρωπος μίλησε για την Ελλάδα":
        "άνθρωπος ΑΝΘΡΩΠΟΣ ανθρωπος Ελλάδα ελλαδα ανθρώπου",
    "हिन्दी में लिखा हुआ संदेश क्या है":
        "हिन्दी संदेश क्या लिखा",
    "বাংলা ভাষায় লেখা বার্তা":
        "বাংলা বার্তা লেখা",
    "తెలుగు భాషలో సందేశం":
        "తెలుగు సందేశం",
    "தமிழ் மொழியில் செய்தி":
        "தமிழ் செய்தி",
    "മലയാളം ഭാഷയിൽ സന്ദേശം":
        "മലയാളം സന്ദേശം",
    "සිංහල භාෂාව":
        "සිංහල",
    "كَتَبَ المُحَمَّدُ رِسَالَةً إلى أحمد":
        "كتب كَتَبَ رسالة أحمد احمد",
    "שָׁלוֹם לְכֻלָּם עולם":
        "שלום שָׁלוֹם עולם",
    "او می‌خواهد کتابی بخواند":
        "می‌خواهد کتابی كتابي",
    "ระบบจัดเก็บข้อมูลภาษาไทยและน้ำดื่ม":
        "ข้อมูล ภาษาไทย น้ำ ดื่ม",
    "ຂ້ອຍເວົ້າພາສາລາວ":
        "ພາສາ ພາສາລາວ",
    "ខ្ញុំនិយាយភាសាខ្មែរ":
        "ភាសា ខ្មែរ",
    "ကျွန်တော်မြန်မာစကားပြောတယ်":
        "မြန်မာ စကား",
    "ང་བོད་སྐད་ཤེས་ཀྱི་ཡོད།":
        "བོད་སྐད བོད",
    "Thành phố Đà Nẵng rất đẹp, phở bò":
        "đẹp dep Nẵng nang Đà pho phở",
    "Isparta'da ılık bir gün, İstanbul ve DİYARBAKIR":
        "ılık ilik istanbul İSTANBUL diyarbakır DİYARBAKIR",
    "Die Straße ist groß, über Müller":
        "Straße strasse STRASSE groß gross Müller muller über",
    "Deploy done 🚀 by 👩‍💻 with 👍🏽 and ❤️ from 🇩🇪":
        "🚀 👩‍💻 👍🏽 👍 ❤️ ❤ 🇩🇪",
    "ｶﾞﾝﾀﾞﾑのテスト、ガンバル":
        "ガンダム ｶﾞﾝﾀﾞﾑ テスト ﾃｽﾄ",
    "Ｔｏｔａｌ ＡＢＣ１２３ value":
        "total abc123 ＡＢＣ１２３",
    "한국어로 쓴 메시지":
        "한국어 메시지 쓴",
    "猫在水里，東京都很大，第三章":
        "猫 水 東京 東京都 第三章",
    "The oﬃce ﬁle and ﬂow":
        "office file flow oﬃce",
    "error in src/api/totals_view.py line 42 v1.2.3 0xDEADBEEF":
        "totals_view.py src/api/totals_view.py 42 v1.2.3 0xdeadbeef",
    "ქართული ენა":
        "ქართული",
    "አማርኛ ቋንቋ":
        "አማርኛ",
    "Հայերեն լեզու":
        "Հայերեն հայերեն",
    "ᠮᠣᠩᠭᠣᠯ ᠪᠢᠴᠢᠭ":
        "ᠮᠣᠩᠭᠣᠯ",
    "Zażółć gęślą jaźń łódź":
        "łódź lodz Zażółć gęślą",
    "Hawaiʻi ʻōlelo":
        "Hawaiʻi hawaii olelo",
    "人々は寿司を食べる・コーヒー":
        "人々 寿司 コーヒー 食べる",
    "𠮷野家で食べた":
        "𠮷野家 𠮷",
    "Step ✅ ok ⚠️ warn 1️⃣ first":
        "✅ ⚠️ 1️⃣",
    "𐌲𐌿𐍄 word":
        "𐌲𐌿𐍄",
    "𞤀𞤣𞤤𞤢𞤥 word":
        "𞤀𞤣𞤤𞤢𞤥",
    "ދިވެހި ބަސް":
        "ދިވެހި",
    "ܠܫܢܐ ܣܘܪܝܝܐ":
        "ܣܘܪܝܝܐ",
    "ߒߞߏ ߞߊ߲":
        "ߒߞߏ ߞߊ߲",
}
# fmt: on

FORMS = (str, lambda word: normalize("NFC", word), lambda word: normalize("NFD", word))

with Memoranda.open(workspace="texts") as memory:
    for text in TEXTS:
        memory.observe(text)
    missed = []
    for text, words in TEXTS.items():
        typed = [form(word) for word in words.split() for form in FORMS]
        for word in dict.fromkeys(typed):
            hits = memory.search(word, mode="words", limit=5).hits
            if text not in [memory.observations.show(hit.id).content for hit in hits]:
                missed.append(word)
print(len(missed), "not found", *missed)
