; The parts that the grammars with JSX have.

[(jsx_element) (jsx_self_closing_element)] @jsx
