#include "shape.h"

#include <algorithm>
#include <regex>

namespace highwater::tidy {
namespace {

std::size_t count_characters(std::string_view text) {
    const auto continues = [](char byte) {
        return (static_cast<unsigned char>(byte) & 0xC0) == 0x80;
    };
    return text.size() - static_cast<std::size_t>(std::ranges::count_if(text, continues));
}

// Drops "template <...>" with everything between its brackets, which may name classes.
std::string drop_template(std::string words) {
    static const std::regex start(R"(^\s*template\s*<)");
    std::smatch match;
    while (std::regex_search(words, match, start)) {
        auto at = static_cast<std::size_t>(match.length());
        for (int depth = 1; at < words.size() && depth > 0; ++at) {
            if (words[at] == '<') ++depth;
            if (words[at] == '>') --depth;
        }
        words.erase(0, at);
    }
    return words;
}

bool opens_function(const std::string& before_brace) {
    static const std::regex scope(R"(^\s*(?:inline\s+|typedef\s+|static\s+|constexpr\s+|const\s+)*)"
                                  R"((?:namespace|class|struct|union|enum|extern)\b)");
    static const std::regex assigns(R"([^=!<>]=\s*$)");
    const std::string words = drop_template(before_brace);
    if (words.find('(') == std::string::npos) return false;
    return !std::regex_search(words, scope) && !std::regex_search(words, assigns);
}

// Reads the code once, one character after the other, and remembers which braces are open.
class FunctionFinder {
public:
    explicit FunctionFinder(const Source& source) : source_(source) {}

    Findings run() {
        for (line_ = 0; line_ < source_.code.size(); ++line_) {
            const std::string& text = source_.code[line_];
            const bool is_directive = text.find_first_not_of(' ') != std::string::npos &&
                                      text[text.find_first_not_of(' ')] == '#';
            const bool continues = was_directive_ && was_continued_;
            was_directive_ = is_directive || continues;
            was_continued_ = text.ends_with('\\');
            if (was_directive_) continue;
            for (const char character : text) step(character);
            words_ += ' ';
        }
        return std::move(findings_);
    }

private:
    void step(char character) {
        if (character == '{') {
            open();
        } else if (character == '}') {
            close();
        } else if (function_depth_ == 0) {
            if (character == ';') return words_.clear();
            if (words_.find_first_not_of(' ') == std::string::npos) first_line_ = line_;
            words_ += character;
        }
    }

    void open() {
        ++depth_;
        if (function_depth_ == 0 && opens_function(words_)) function_depth_ = depth_;
        if (function_depth_ == 0) words_.clear();
    }

    void close() {
        if (depth_ == function_depth_) {
            const std::size_t lines = line_ - first_line_ + 1;
            if (lines > function_lines_max) {
                findings_.push_back({source_.path, first_line_ + 1,
                                     "a function of " + std::to_string(lines) + " lines"});
            }
            function_depth_ = 0;
        }
        if (depth_ > 0) --depth_;
        if (function_depth_ == 0) words_.clear();
    }

    const Source& source_;
    Findings findings_;
    std::string words_;  // Since the last ';', '{' or '}' outside functions.
    std::size_t line_ = 0;
    std::size_t first_line_ = 0;  // Where words_ begin.
    std::size_t depth_ = 0;
    std::size_t function_depth_ = 0;  // The depth of the open function's brace; 0 outside.
    bool was_directive_ = false;
    bool was_continued_ = false;
};

}  // namespace

Findings find_long_lines(const Source& source) {
    Findings findings;
    for (std::size_t i = 0; i < source.lines.size(); ++i) {
        const std::size_t columns = count_characters(source.lines[i]);
        if (columns <= line_columns_max) continue;
        findings.push_back({source.path, i + 1, std::to_string(columns) + " columns"});
    }
    return findings;
}

Findings find_long_files(const Source& source) {
    if (source.lines.size() <= file_lines_max) return {};
    return {{source.path, 0, std::to_string(source.lines.size()) + " lines: split it by idea"}};
}

Findings find_long_functions(const Source& source) {
    return FunctionFinder(source).run();
}

}  // namespace highwater::tidy
