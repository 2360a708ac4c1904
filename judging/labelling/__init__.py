"""Labels that people give: which answers, which questions, who said what, and how far the judge agrees."""
