#include "source.h"

#include <cctype>

namespace highwater::tidy {
namespace {

bool is_word(char character) {
    return std::isalnum(static_cast<unsigned char>(character)) != 0 || character == '_';
}

// Walks once over a text and copies it, with what is not code as spaces.
class Blanker {
public:
    explicit Blanker(std::string_view text) : text_(text) {}

    std::string run() {
        while (at_ < text_.size()) step();
        return std::move(out_);
    }

private:
    bool starts_with(std::string_view word) const { return text_.substr(at_).starts_with(word); }

    void keep() { out_ += text_[at_++]; }

    void blank(std::size_t count) {
        for (; count > 0 && at_ < text_.size(); --count, ++at_) {
            out_ += text_[at_] == '\n' ? '\n' : ' ';
        }
    }

    // Blanks up to and with `end`, or to the end of the text.
    void blank_through(std::string_view end) {
        const std::size_t found = text_.find(end, at_);
        blank(found == std::string_view::npos ? text_.size() : found + end.size() - at_);
    }

    void keep_line() {
        while (at_ < text_.size() && text_[at_] != '\n') keep();
    }

    void step() {
        const bool starts_line = at_ == 0 || text_[at_ - 1] == '\n';
        const bool after_word = at_ > 0 && is_word(text_[at_ - 1]);
        if (starts_line && starts_with("#include")) {
            keep_line();
        } else if (starts_with("//")) {
            const std::size_t end = text_.find('\n', at_);
            blank((end == std::string_view::npos ? text_.size() : end) - at_);
        } else if (starts_with("/*")) {
            blank(2);
            blank_through("*/");
        } else if (starts_with("R\"") && !after_word) {
            blank_raw();
        } else if (text_[at_] == '"' || (text_[at_] == '\'' && !after_word)) {
            blank_quoted(text_[at_]);
        } else {
            keep();
        }
    }

    void blank_raw() {
        const std::size_t open = text_.find('(', at_);
        if (open == std::string_view::npos) return blank(text_.size());
        const std::string delimiter(text_.substr(at_ + 2, open - at_ - 2));
        blank(open + 1 - at_);
        blank_through(")" + delimiter + "\"");
    }

    void blank_quoted(char quote) {
        blank(1);
        while (at_ < text_.size() && text_[at_] != quote && text_[at_] != '\n') {
            blank(text_[at_] == '\\' ? 2 : 1);
        }
        if (at_ < text_.size() && text_[at_] == quote) blank(1);
    }

    std::string_view text_;
    std::size_t at_ = 0;
    std::string out_;
};

std::vector<std::string> split_lines(std::string_view text) {
    std::vector<std::string> lines;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        lines.emplace_back(text.substr(0, end));
        if (end == std::string_view::npos) break;
        text.remove_prefix(end + 1);
    }
    return lines;
}

}  // namespace

std::string format_finding(const Finding& finding) {
    const std::string line = finding.line == 0 ? "" : std::to_string(finding.line) + ":";
    return finding.path + ":" + line + " " + finding.what;
}

Source make_source(std::string path, std::string_view text) {
    return {std::move(path), split_lines(text), split_lines(Blanker(text).run())};
}

bool is_header(const Source& source) {
    return source.path.ends_with(".h");
}

bool is_test(const Source& source) {
    return source.path.ends_with("_test.cc") || source.path.starts_with("tests/");
}

std::string_view room_of(const Source& source) {
    const std::string_view path = source.path;
    if (!path.starts_with("src/")) return {};
    return path.substr(4, path.find('/', 4) - 4);
}

}  // namespace highwater::tidy
