"""Which language does it think in? The river, read along, the switch and the swap."""

from components.inner_language.controls import PAGE, SETTINGS, begin_address, choose_model
from components.inner_language.read_along import read_along_part
from components.inner_language.river import river_part
from components.inner_language.switch_and_swap import swap_part, switch_part
from components.shared import frame
from components.shared.settings import setting_widget

frame.title(
    "Which language does it think in?",
    "The model's own last step, applied to every layer: what would it say if it stopped there?",
)
model = choose_model()
part = setting_widget(SETTINGS["part"], PAGE, buttons=True, label_visibility="collapsed")
begin_address(model, part)
{
    "river": river_part,
    "read-along": read_along_part,
    "switch": switch_part,
    "swap": swap_part,
}[part](model)
