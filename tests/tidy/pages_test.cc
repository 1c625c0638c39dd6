#include "pages.h"

#include <gmock/gmock.h>

namespace highwater::tidy {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

Source page(std::string path, std::string_view text) {
    return make_source(std::move(path), text);
}

TEST(DoorSignTest, SaysFiveThingsInTwentyLines) {
    const std::string sign = "# gate\n*For:* a\n*In:* b *Out:* c\n*May touch:* d\n*Never:* e\n";
    EXPECT_THAT(find_door_sign_errors(page("src/gate/README.md", sign)), IsEmpty());
    EXPECT_THAT(find_door_sign_errors(page("src/gate/README.md", "*For:* a\n*Out:* c\n")),
                SizeIs(3));
    const std::string lines(15, '\n');
    EXPECT_THAT(find_door_sign_errors(page("src/gate/README.md", sign + lines)), IsEmpty());
    EXPECT_THAT(find_door_sign_errors(page("src/gate/README.md", sign + lines + "\n")), SizeIs(1));
}

bool exists_gate(const std::string& path) {
    return path == "tests/golden/gate.bin" || path == "docs/guide.md" || path == "README.md";
}

TEST(FormatPageTest, NamesGoldenBytesThatAreThere) {
    EXPECT_THAT(find_format_page_errors(page("docs/formats/gate.md", "See tests/golden/gate.bin."),
                                        exists_gate),
                IsEmpty());
    EXPECT_THAT(find_format_page_errors(page("docs/formats/gate.md", "No bytes."), exists_gate),
                SizeIs(1));
    EXPECT_THAT(
        find_format_page_errors(page("docs/formats/gate.md", "`tests/golden/no.bin`"), exists_gate),
        ElementsAre(Finding{"docs/formats/gate.md", 1, "tests/golden/no.bin is not there"}));
}

TEST(LinksTest, LeadSomewhere) {
    const auto broken = [](std::string_view text) {
        return find_broken_links(page("docs/index.md", text), exists_gate);
    };
    EXPECT_THAT(broken("[guide](guide.md) [root](../README.md#start)"), IsEmpty());
    EXPECT_THAT(broken("[web](https://example.org/a) [here](#part)"), IsEmpty());
    EXPECT_THAT(broken("\n[a](gone.md) [b](guide.md) [c](../gone.md#x)"),
                ElementsAre(Finding{"docs/index.md", 2, "the link to gone.md leads nowhere"},
                            Finding{"docs/index.md", 2, "the link to ../gone.md leads nowhere"}));
}

TEST(NotesTest, SaySomething) {
    EXPECT_THAT(find_empty_notes(page("changes/1.md", "# 1\n\nFaster.\n")), IsEmpty());
    EXPECT_THAT(find_empty_notes(page("changes/1.md", "# 1\n\n  \n")), SizeIs(1));
    EXPECT_THAT(find_empty_notes(page("changes/1.md", "")), SizeIs(1));
}

}  // namespace
}  // namespace highwater::tidy
